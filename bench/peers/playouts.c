/* Random games of Qwixx in straightforward C: the yardstick for the compiled kernel.
   Every choice is uniform over the legal moves, pass included.   cc -O2 playouts.c && ./a.out PLAYERS GAMES SEED
   Prints games, seconds of processor time, mean total of a seat, turns a game. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 4, LAST = 10 };

typedef struct { int rightmost[ROWS], crosses[ROWS], failed; } Sheet;

static uint64_t state;

static uint32_t draw(void) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545F4914F6CDD1DULL) >> 32);
}

static int below(int n) { return (int)(((uint64_t)draw() * (uint64_t)n) >> 32); }

static int place(int row, int number) { return row < 2 ? number - 2 : 12 - number; }

static int legal(const Sheet *sheet, const int *closed, int row, int where) {
    if (closed[row] || where <= sheet->rightmost[row]) return 0;
    return where != LAST || sheet->crosses[row] >= 5;
}

static int cross(Sheet *sheet, int row, int where) { /* 1 if the row is closed by it */
    sheet->rightmost[row] = where;
    sheet->crosses[row] += where == LAST ? 2 : 1;
    return where == LAST;
}

static int play(int players, int first, int *totals) {
    Sheet sheets[5] = {0};
    int closed[ROWS] = {0}, shut = 0, active = first, turns = 0;
    for (int seat = 0; seat < players; seat++)
        for (int row = 0; row < ROWS; row++) sheets[seat].rightmost[row] = -1;
    for (;;) {
        int white[2], die[ROWS], chosen[5], crossed = 0;
        turns++;
        for (int i = 0; i < 2; i++) white[i] = 1 + below(6);
        for (int row = 0; row < ROWS; row++) die[row] = 1 + below(6);
        for (int seat = 0; seat < players; seat++) {
            int rows[ROWS + 1], moves = 1;
            rows[0] = -1;
            for (int row = 0; row < ROWS; row++)
                if (legal(&sheets[seat], closed, row, place(row, white[0] + white[1]))) rows[moves++] = row;
            chosen[seat] = rows[below(moves)];
        }
        for (int seat = 0; seat < players; seat++) {
            int row = chosen[seat];
            if (row < 0) continue;
            if (seat == active) crossed = 1;
            if (cross(&sheets[seat], row, place(row, white[0] + white[1])) && !closed[row]) {
                closed[row] = 1;
                shut++;
            }
        }
        if (shut >= 2) break;
        int rows[9], places[9], moves = 1;
        rows[0] = -1;
        for (int row = 0; row < ROWS; row++)
            for (int i = 0; i < 2; i++) {
                int where = place(row, white[i] + die[row]);
                if (i == 1 && white[0] == white[1]) continue;
                if (!legal(&sheets[active], closed, row, where)) continue;
                rows[moves] = row;
                places[moves++] = where;
            }
        int move = below(moves);
        if (move > 0) {
            if (cross(&sheets[active], rows[move], places[move])) {
                closed[rows[move]] = 1;
                shut++;
            }
            if (shut >= 2) break;
        } else if (!crossed && ++sheets[active].failed >= 4) {
            break;
        }
        active = active + 1 == players ? 0 : active + 1;
    }
    for (int seat = 0; seat < players; seat++) {
        totals[seat] = -5 * sheets[seat].failed;
        for (int row = 0; row < ROWS; row++)
            totals[seat] += sheets[seat].crosses[row] * (sheets[seat].crosses[row] + 1) / 2;
    }
    return turns;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int players = atoi(words[1]);
    long games = atol(words[2]), turns = 0, sum = 0;
    state = 88172645463325252ULL ^ (uint64_t)atol(words[3]);
    clock_t begin = clock();
    for (long game = 0; game < games; game++) {
        int totals[5];
        turns += play(players, (int)(game % players), totals);
        for (int seat = 0; seat < players; seat++) sum += totals[seat];
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%ld %.6f %.4f %.4f\n", games, seconds, (double)sum / (double)games / players, (double)turns / (double)games);
    return 0;
}
