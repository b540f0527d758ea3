//! Truth tables of three bits: bit `4a + 2b + c` is the value at `a`, `b`, `c`. This is the order of the immediate of
//! `vpternlog` (Intel SDM, volume 2, "VPTERNLOGD/VPTERNLOGQ").

/// The truth tables of the three variables themselves.
pub const VARIABLES: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Whether a truth table depends on variable `place`.
pub fn depends_on(table: u8, place: usize) -> bool {
    let variable = VARIABLES[place];
    let distance = 4 >> place;
    (table & variable) >> distance != table & !variable
}

/// The truth table with its variable k in place `places[k]`; variables that share a place are the same.
pub fn renamed(table: u8, places: [usize; 3]) -> u8 {
    (0..8).fold(0, |renamed, row: u8| {
        let bit = |k: usize| row >> (2 - places[k]) & 1;
        let index = bit(0) << 2 | bit(1) << 1 | bit(2);
        renamed | (table >> index & 1) << row
    })
}

/// The truth table after its operands changed places: new operand `i` is old operand `order[i]`, a permutation.
pub fn permuted(table: u8, order: [usize; 3]) -> u8 {
    let mut places = [0; 3];
    for (new, &old) in order.iter().enumerate() {
        places[old] = new;
    }
    renamed(table, places)
}

/// The truth table of a function of three tables, row by row.
pub fn applied(table: u8, of: [u8; 3]) -> u8 {
    (0..8).fold(0, |applied, row: u8| {
        let [a, b, c] = of.map(|operand| operand >> row & 1);
        applied | (table >> (a << 2 | b << 1 | c) & 1) << row
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

    #[test]
    fn a_permuted_table_follows_its_operands() {
        for table in 0..=255 {
            for order in ORDERS {
                let new = permuted(table, order);
                for case in 0..8usize {
                    let old: [usize; 3] = [case >> 2 & 1, case >> 1 & 1, case & 1];
                    let moved = order.map(|from| old[from]);
                    let at = moved[0] << 2 | moved[1] << 1 | moved[2];
                    assert_eq!(new >> at & 1, table >> case & 1);
                }
            }
        }
    }

    #[test]
    fn a_renamed_table_has_its_variables_elsewhere() {
        for table in 0..=255 {
            assert_eq!(renamed(table, [0, 1, 2]), table);
            let [a, b, c] = VARIABLES;
            assert_eq!(renamed(table, [2, 0, 1]), applied(table, [c, a, b]));
            assert_eq!(renamed(table, [1, 1, 1]), applied(table, [b, b, b]));
        }
    }

    #[test]
    fn a_table_depends_on_what_changes_it() {
        assert_eq!([0, 1, 2].map(|place| depends_on(0xf0, place)), [true, false, false]);
        assert_eq!([0, 1, 2].map(|place| depends_on(0x66, place)), [false, true, true]);
        assert_eq!([0, 1, 2].map(|place| depends_on(0xff, place)), [false, false, false]);
        assert_eq!([0, 1, 2].map(|place| depends_on(0x96, place)), [true, true, true]);
    }
}
