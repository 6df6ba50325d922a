/* The exact value of the practice game in straightforward C: the yardstick for the solver.
   Every sheet up to symmetry, last ones first; the coloured dice are independent once the whites are known, so
   the expected best is found by sorting 24 offers.   cc -O2 solve.c && ./a.out
   Prints the value, the number of states, seconds of processor time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBERS = 11, FAILS = 4, KINDS = 57, CLOSED = 56, PAIRS = KINDS * (KINDS + 1) / 2 - 1 };

static int right[KINDS], crosses[KINDS], follow[KINDS][NUMBERS], gain[KINDS][NUMBERS], pair[KINDS][KINDS];
static int one[PAIRS], other[PAIRS];
static double (*value)[FAILS];

static int points(int n) { return n * (n + 1) / 2; }

static void make_kinds(void) {
    int number[NUMBERS][NUMBERS + 1], kinds = 1;
    right[0] = -1;
    for (int at = 0; at < NUMBERS - 1; at++)
        for (int n = 1; n <= at + 1; n++) {
            right[kinds] = at;
            crosses[kinds] = n;
            number[at][n] = kinds++;
        }
    right[CLOSED] = NUMBERS - 1;
    memset(follow, -1, sizeof follow);
    for (int kind = 0; kind < CLOSED; kind++) {
        int n = crosses[kind];
        for (int at = right[kind] + 1; at < NUMBERS - 1; at++) {
            follow[kind][at] = number[at][n + 1];
            gain[kind][at] = n + 1;
        }
        if (n >= 5) follow[kind][NUMBERS - 1] = CLOSED;
        gain[kind][NUMBERS - 1] = points(n + 2) - points(n);
    }
    int pairs = 0;
    for (int b = 0; b < KINDS; b++)
        for (int a = 0; a <= b; a++) {
            if (a == CLOSED) continue;
            pair[a][b] = pair[b][a] = pairs;
            one[pairs] = a;
            other[pairs++] = b;
        }
}

static int slot(const int *kinds) {
    int p = pair[kinds[0]][kinds[1]], q = pair[kinds[2]][kinds[3]];
    return p < q ? q * (q + 1) / 2 + p : p * (p + 1) / 2 + q;
}

static double after(const int *kinds, int failed) { /* the rest of the game, nothing once two rows are closed */
    int closed = 0;
    for (int row = 0; row < 4; row++) closed += kinds[row] == CLOSED;
    return closed > 1 ? 0.0 : value[slot(kinds)][failed];
}

static int place(int row, int index) { return row < 2 ? index : NUMBERS - 1 - index; }

static double single[4][NUMBERS], best[NUMBERS][4][NUMBERS];

static void fill(int *kinds, int failed) {
    int closed = 0;
    for (int row = 0; row < 4; row++) closed += kinds[row] == CLOSED;
    for (int row = 0; row < 4; row++)
        for (int index = 0; index < NUMBERS; index++) {
            int before = kinds[row], kind = follow[before][place(row, index)];
            single[row][index] = -1e9;
            if (kind < 0) continue;
            kinds[row] = kind;
            single[row][index] = gain[before][place(row, index)] + after(kinds, failed);
            kinds[row] = before;
        }
    for (int index = 0; index < NUMBERS; index++) memcpy(best[index], single, sizeof single);
    for (int white = 0; white < 4; white++)
        for (int sum = 0; sum < NUMBERS; sum++) {
            int was = kinds[white], now = follow[was][place(white, sum)];
            if (now < 0 || (closed && now == CLOSED)) continue;
            int first = gain[was][place(white, sum)];
            kinds[white] = now;
            for (int row = 0; row < 4; row++)
                for (int index = 0; index < NUMBERS; index++) {
                    int before = kinds[row], kind = follow[before][place(row, index)];
                    if (kind < 0) continue;
                    kinds[row] = kind;
                    double found = first + gain[before][place(row, index)] + after(kinds, failed);
                    kinds[row] = before;
                    if (found > best[sum][row][index]) best[sum][row][index] = found;
                }
            kinds[white] = was;
        }
}

static double turn(int w1, int w2, double nothing) { /* whites from 0 */
    double values[24], least = nothing, found = 0.0;
    int rows[24], left[4] = {6, 6, 6, 6}, ways = 1296, n = 0;
    for (int row = 0; row < 4; row++)
        if (single[row][w1 + w2] > least) least = single[row][w1 + w2];
    for (int row = 0; row < 4; row++)
        for (int face = 0; face < 6; face++) {
            double a = best[w1 + w2][row][w1 + face], b = best[w1 + w2][row][w2 + face];
            double offer = a > b ? a : b;
            int at = n++;
            for (; at > 0 && values[at - 1] < offer; at--) {
                values[at] = values[at - 1];
                rows[at] = rows[at - 1];
            }
            values[at] = offer;
            rows[at] = row;
        }
    for (int i = 0; i < n && values[i] > least; i++) {
        int now = 1;
        for (int row = 0; row < 4; row++)
            if (row != rows[i]) now *= left[row];
        left[rows[i]]--;
        found += values[i] * now;
        ways -= now;
    }
    return (found + least * ways) / 1296.0;
}

static int depth(int p, int q) { return right[one[p]] + right[other[p]] + right[one[q]] + right[other[q]]; }

int main(void) {
    clock_t begin = clock();
    long states = 0;
    make_kinds();
    value = malloc(sizeof *value * (PAIRS * (PAIRS + 1L) / 2));
    if (!value) return 1;
    for (int level = 4 * NUMBERS; level >= -4; level--)
        for (int q = 0; q < PAIRS; q++)
            for (int p = 0; p <= q; p++) {
                if (depth(p, q) != level || (other[p] == CLOSED && other[q] == CLOSED)) continue;
                int kinds[4] = {one[p], other[p], one[q], other[q]}, own = slot(kinds);
                for (int failed = FAILS - 1; failed >= 0; failed--) {
                    double nothing = (failed + 1 < FAILS ? value[own][failed + 1] : 0.0) - 5.0, mean = 0.0;
                    fill(kinds, failed);
                    for (int w1 = 0; w1 < 6; w1++)
                        for (int w2 = w1; w2 < 6; w2++) mean += (w1 == w2 ? 1.0 : 2.0) * turn(w1, w2, nothing);
                    value[own][failed] = mean / 36.0;
                    states++;
                }
            }
    int start[4] = {0, 0, 0, 0};
    printf("%.6f %ld %.6f\n", value[slot(start)][0], states, (double)(clock() - begin) / CLOCKS_PER_SEC);
    return 0;
}
