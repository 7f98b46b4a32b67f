/* message.h - the messages between runners and the coordinator. Payloads are encoded by protocol/wire.h. */
#pragma once

enum message {
    /* coordinator → runner */
    MESSAGE_START = 1,    /* text: restart the worker with this back end; answered by HELLO */
    MESSAGE_CONFIG,       /* u32 share, u32 shares, text token, config; answered by READY */
    MESSAGE_CHARACTERISE, /* u32 enum peaks_part; answered by DEVICE */
    MESSAGE_COMPILE,      /* u32 n, n points; answered by COMPILED */
    MESSAGE_MEASURE, /* u32 n, u32 round, u32 fresh (in a process of its own), u32 enum phase: what the rank has waited for; n struct todo;
                         answered by RESULTS, the last one idle */
    MESSAGE_RECALL,  /* empty: return the batch, including the current point; answered by idle RESULTS
                        when there was one */
    MESSAGE_STOP,    /* real: let the current point end within so many seconds, drop the rest; answered by
                        idle RESULTS when it was measuring */
    MESSAGE_END,     /* empty: the run is over */
    MESSAGE_ECHO,    /* empty: answers BEAT */
    MESSAGE_LEAVE, /* empty, after END: the file is closed but some rank does not answer; exit without waiting */

    /* runner → coordinator */
    MESSAGE_HELLO =
        32,        /* text host, u32 node, u32 local rank, u32 local size, u64 CPUs, u32 enum hello, greeting,
                           text error */
    MESSAGE_READY, /* u32: whether it sees the token in its cache folder */
    MESSAGE_DEVICE,   /* u32 ok, device with peaks, text error */
    MESSAGE_COMPILED, /* u32 kernels that failed, text of the first failure */
    MESSAGE_RESULTS, /* u32 idle, u32 n, bytes: n times (u32 WIRE_RESULT, result) in the order of the request, or
                           (u32 WIRE_COUNTED, counted), whose index is that into the request: of a result that came before, or of a
                           point that was to be counted only */
    MESSAGE_NOTE,    /* text: why counters are missing */
    MESSAGE_LOST,    /* text: the rank has no worker and cannot start one */
    MESSAGE_SPANS, /* u32 last (none follow), real age of the rank's lane (s), then sums of protocol/timeline.h */
    MESSAGE_HEARTBEAT, /* empty: the rank is alive, whatever its worker does; answered by ECHO */
    MESSAGE_SIGNAL,    /* u32 interrupts, u32 terminates, u32 users: signals that this rank has seen */
};

/* The outcome of starting a rank's worker. */
enum hello {
    HELLO_NO_DEVICE, /* it found no device for this back end */
    HELLO_OPENED,    /* it has opened a device */
    HELLO_NO_WORKER, /* it does not start, dies, or is of another build */
};

#define MESSAGE_BATCH_MAX   128  /* points of one MEASURE */
#define MESSAGE_COMPILE_MAX 1024 /* points of one COMPILE */
