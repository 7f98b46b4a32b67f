/* mailbox_mpi.h - a mailbox between the ranks of an MPI communicator. */
#pragma once

#include <mpi.h>

#include "mailbox/mailbox.h"

struct mailbox *mailbox_mpi_open(MPI_Comm communicator);
