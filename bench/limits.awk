# Rewrites the assembly of a kernel so that something it waits for is gone. What it computes is then wrong; what it takes tells
# what that something costs. without: letters of what to leave out:
#   d  dependences: results go to all registers but four in turn, operands come from those four, which nothing writes
#   s  stores of vectors
#   l  loads of vectors: operands in memory become registers (only with d, else they would depend on what is there)
# name: the symbol of the result.
function registers(text) { return text ~ /^[xyz]mm[0-9]+$/ }
function numbered(register, number) { return substr(register, 1, 1) "mm" number }

/^ *\.globl / { symbol = $2 }
{
    code = $0
    sub(/ *\/\/.*/, "", code)
    if (symbol != "") gsub(symbol, name, code)
    if (code !~ /[xyz]mm[0-9]/) { print code; next }
    match(code, /[a-z0-9]+/)
    mnemonic = substr(code, RSTART, RLENGTH)
    count = split(substr(code, RSTART + RLENGTH + 1), operand, /, */)
    moves = mnemonic ~ /^v?mov/ || mnemonic ~ /^vp?broadcast/
    if (index(operand[1], "[")) {
        if (without ~ /s/) next
        if (without ~ /d/) operand[2] = numbered(operand[2], 3)
    } else {
        wide = substr(operand[1], 1, 1) == "z" || code ~ /[xyz]mm(1[6-9]|2[0-9]|3[01])/ || evex
        if (wide) evex = 1
        for (i = 2; i <= count; i++) {
            if (index(operand[i], "[")) {
                if (without ~ /l/) {
                    if (moves) next
                    operand[i] = numbered(operand[1], 3)
                }
            } else if (registers(operand[i]) && without ~ /d/)
                operand[i] = numbered(operand[i], (i - 2) % 4)
        }
        if (without ~ /d/) {
            turn = (turn + 1) % (evex ? 28 : 12)
            operand[1] = numbered(operand[1], 4 + turn)
        }
    }
    line = operand[1]
    for (i = 2; i <= count; i++) line = line ", " operand[i]
    print "    " mnemonic " " line
}
