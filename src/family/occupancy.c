#include "family/occupancy.h"

int occupancy_blocks_max(int capability)
{
    switch (capability) {
    case 86:
    case 87:
        return 16;
    case 89:
    case 110:
    case 120:
    case 121:
        return 24;
    default:
        return 32;
    }
}
