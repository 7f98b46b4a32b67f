/* message.h - what runners and the coordinator tell each other. The payload is protocol/wire.h's. */
#ifndef MAILBOX_MESSAGE_H
#define MAILBOX_MESSAGE_H

enum message {
    /* coordinator → runner */
    MESSAGE_START = 1,    /* text: start the worker anew, with this back end; answered by HELLO */
    MESSAGE_CONFIG,       /* u32 share, u32 shares, text token, config; answered by READY */
    MESSAGE_CHARACTERISE, /* u32 enum peaks_part; answered by DEVICE */
    MESSAGE_COMPILE,      /* u32 n, n points; answered by COMPILED */
    MESSAGE_MEASURE, /* u32 n, u32 round, u32 fresh (in a process of its own), u32 enum phase: what it waited for; n times (u64 id, u32 repeat,
                        u32 enum wire_todo, real l2_dirty, point); answered by RESULTS, the last one idle, and COUNTED */
    MESSAGE_RECALL, /* empty: give the batch back, the point that is being measured too; answered by idle RESULTS
                        when there was one */
    MESSAGE_STOP,  /* real: let the current point end within so many seconds, drop the rest; answered by
                        idle RESULTS when it was measuring */
    MESSAGE_END,   /* empty: the run is over */
    MESSAGE_ECHO,  /* empty: answers BEAT */
    MESSAGE_LEAVE, /* empty, after END: the file is closed, and some rank will not leave: wait for nobody */

    /* runner → coordinator */
    MESSAGE_HELLO = 32, /* text host, u32 node, u32 local rank, u32 local size, u32 enum hello, greeting,
                           text why not */
    MESSAGE_READY,      /* u32: does it see the token in its cache folder? */
    MESSAGE_DEVICE,     /* u32 ok, device with peaks, text why not */
    MESSAGE_COMPILED,   /* u32 kernels that failed, text of the first failure */
    MESSAGE_RESULTS,    /* u32 idle, u32 n, n results in the order of the request */
    MESSAGE_COUNTED, /* u32 n, n counted, their index that into the request: results that came before, or were to
                           be counted only */
    MESSAGE_NOTE,    /* text: why counters are missing */
    MESSAGE_LOST,    /* text: this rank's worker cannot be started any more */
    MESSAGE_SPANS, /* u32 last (none will follow), u64 what CLOCK_REALTIME is ahead of the rank's clock (ns), then
                        what the rank was at, protocol/timeline.h */
    MESSAGE_HEARTBEAT, /* empty: this rank is there, whatever its worker is at; answered by ECHO */
    MESSAGE_SIGNAL,    /* u32 interrupts, u32 terminates, u32 users: signals that this rank has seen */
};

/* What became of a rank's worker. */
enum hello {
    HELLO_NO_DEVICE, /* it says that there is no device for this back end */
    HELLO_OPENED,    /* it has one */
    HELLO_NO_WORKER, /* there is none to talk to: it cannot be started, dies, or is of another build */
};

#define MESSAGE_BATCH_MAX   128  /* points of one MEASURE */
#define MESSAGE_COMPILE_MAX 1024 /* points of one COMPILE */

#endif
