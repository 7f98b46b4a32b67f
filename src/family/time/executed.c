#include "family/time/executed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/time/linear_program.h"

enum { KINDS = 4 };

static const char *const kind_names[KINDS] = {"LDG", "STG", "LDS", "STS"};

/* A basic block. */
struct block {
    size_t first, last;
    int next[2];                        /* successors; -1: the end; -2: none */
    int sure[KINDS], predicated[KINDS]; /* accesses of each kind, without and with a predicate */
    int flops;                          /* per lane */
};

struct flow {
    const struct sass *sass;
    struct block *block; /* owned */
    int count;
    bool known; /* all jump targets are known */
};

struct warp_work warp_work_of(const struct prediction *p, const struct work *work, double warps)
{
    return (struct warp_work){
        .loads = p->load_requests / warps,
        .stores = p->store_requests / warps,
        .shared_loads = isnan(p->shared_load_requests) ? 0 : p->shared_load_requests / warps,
        .shared_stores = isnan(p->shared_store_requests) ? 0 : p->shared_store_requests / warps,
        .flops = (double)work->flops / (32 * warps),
    };
}

/* ---- Blocks ---- */

static bool is(const struct sass_instruction *one, const char *mnemonic)
{
    size_t length = sass_mnemonic(one->opcode);
    return length == strlen(mnemonic) && !strncmp(one->opcode, mnemonic, length);
}

static bool ends(const struct sass_instruction *one)
{
    return is(one, "EXIT") || is(one, "RET") || is(one, "KILL");
}

/* Is the jump target unknown? */
static bool is_computed_jump(const struct sass_instruction *one)
{
    return is(one, "BRX") || is(one, "BRXU") || is(one, "JMP") || is(one, "JMX") || is(one, "JMXU") ||
           (one->label && one->target < 0);
}

/* Per lane, if all lanes are active. */
static int flops_of(const struct sass_instruction *one)
{
    static const struct {
        const char *mnemonic;
        int flops;
    } rows[] = {{"FFMA", 2},  {"FADD", 1},  {"FMUL", 1},  {"DFMA", 2},  {"DADD", 1},
                {"DMUL", 1},  {"HFMA2", 4}, {"HADD2", 2}, {"HMUL2", 2}, {"FFMA2", 4},
                {"FADD2", 2}, {"FMUL2", 2}, {"MUFU", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is(one, rows[i].mnemonic))
            return rows[i].flops;
    return 0;
}

static void count_work(const struct sass *sass, struct block *block)
{
    for (size_t i = block->first; i <= block->last; i++) {
        block->flops += flops_of(&sass->instruction[i]);
        for (int k = 0; k < KINDS; k++)
            if (is(&sass->instruction[i], kind_names[k]))
                (sass->instruction[i].predicated ? block->predicated : block->sure)[k]++;
    }
}

/* `number[i]`: the block of instruction i. */
static void link_block(struct flow *flow, int at, const int *number)
{
    struct block *block = &flow->block[at];
    const struct sass_instruction *last = &flow->sass->instruction[block->last];
    int after = block->last + 1 < flow->sass->count ? number[block->last + 1] : -1;
    block->next[0] = ends(last) ? -1 : last->target >= 0 ? number[last->target] : after;
    block->next[1] = (ends(last) || last->target >= 0) && last->predicated ? after : -2;
}

static struct flow flow_of(const struct sass *sass)
{
    struct flow flow = {.sass = sass, .known = sass->count > 0};
    bool *leader = memory_new(sass->count + 1, sizeof *leader);
    int *number = memory_new(sass->count + 1, sizeof *number);
    leader[0] = true;
    for (size_t i = 0; i < sass->count; i++) {
        const struct sass_instruction *one = &sass->instruction[i];
        flow.known &= !is_computed_jump(one);
        if (one->target >= 0 && (size_t)one->target < sass->count)
            leader[one->target] = true;
        if (one->target >= 0 || ends(one))
            leader[i + 1] = true;
    }
    flow.block = memory_new(sass->count + 1, sizeof *flow.block);
    for (size_t i = 0; i < sass->count; i++) {
        if (leader[i])
            flow.block[flow.count++] = (struct block){.first = i};
        number[i] = flow.count - 1;
        flow.block[flow.count - 1].last = i;
    }
    for (int b = 0; b < flow.count; b++) {
        count_work(sass, &flow.block[b]);
        link_block(&flow, b, number);
    }
    free(leader);
    free(number);
    return flow;
}

/* ---- The linear program ---- */

/* Rows: one per block, one per kind of access, one for the flops, and one per block and kind with predicated accesses.
 * Columns (unknowns): how often each block is left on either branch; the flops above the wanted number; and the predicated
 * accesses with and without an active lane. */
static int row_of_kind(const struct flow *flow, int kind)
{
    return flow->count + kind;
}

static int row_of_flops(const struct flow *flow)
{
    return flow->count + KINDS;
}

static int column_of_branch(int block, int branch)
{
    return 2 * block + branch;
}

static int count_predicated(const struct flow *flow)
{
    int count = 0;
    for (int b = 0; b < flow->count; b++)
        for (int k = 0; k < KINDS; k++)
            count += flow->block[b].predicated[k] > 0;
    return count;
}

static void put_branches(struct linear_program *program, const struct flow *flow, int b)
{
    const struct block *block = &flow->block[b];
    for (int branch = 0; branch < 2 && block->next[branch] != -2; branch++) {
        int column = column_of_branch(b, branch), to = block->next[branch];
        program->cost[column] = (double)(block->last - block->first + 1);
        *linear_program_at(program, b, column) += 1;
        if (to >= 0)
            *linear_program_at(program, to, column) -= 1;
        for (int k = 0; k < KINDS; k++)
            *linear_program_at(program, row_of_kind(flow, k), column) = block->sure[k];
        *linear_program_at(program, row_of_flops(flow), column) = block->flops;
    }
}

/* Executions of a block times its predicated accesses = those with an active lane, which count, + those without. */
static void put_predicated(struct linear_program *program, const struct flow *flow)
{
    int column = 2 * flow->count + 1, row = row_of_flops(flow) + 1;
    for (int b = 0; b < flow->count; b++)
        for (int k = 0; k < KINDS; k++) {
            int each = flow->block[b].predicated[k];
            if (!each)
                continue;
            *linear_program_at(program, row_of_kind(flow, k), column) = 1;
            *linear_program_at(program, row, column) = 1;
            *linear_program_at(program, row, column + 1) = 1;
            for (int branch = 0; branch < 2 && flow->block[b].next[branch] != -2; branch++)
                *linear_program_at(program, row, column_of_branch(b, branch)) = -each;
            column += 2;
            row++;
        }
}

static double minimum_of(const struct flow *flow, const struct warp_work *work)
{
    const double wanted[] = {work->loads, work->stores, work->shared_loads, work->shared_stores, work->flops};
    int predicated = count_predicated(flow);
    struct linear_program program =
        linear_program_new(row_of_flops(flow) + 1 + predicated, 2 * (flow->count + predicated) + 1);
    program.right[0] = 1; /* the warp enters the first block once */
    memcpy(&program.right[flow->count], wanted, sizeof wanted);
    for (int b = 0; b < flow->count; b++)
        put_branches(&program, flow, b);
    *linear_program_at(&program, row_of_flops(flow), 2 * flow->count) = -1;
    put_predicated(&program, flow);
    double minimum = linear_program_minimum(&program);
    linear_program_free(&program);
    return minimum;
}

double executed_min(const struct sass *sass, const struct warp_work *work)
{
    struct flow flow = flow_of(sass);
    struct warp_work accesses = *work;
    double minimum = NAN;
    accesses.flops = 0;
    if (flow.known && !isnan(work->loads + work->stores + work->shared_loads + work->shared_stores)) {
        minimum = minimum_of(&flow, work);
        if (isnan(minimum) && work->flops > 0)
            minimum = minimum_of(&flow, &accesses);
    }
    free(flow.block);
    return minimum;
}
