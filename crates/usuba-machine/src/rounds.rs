//! Kernels that take the number of their turns from the caller, so that one serves several sizes of keys.

/// How such a kernel takes the atoms of its uniform input: as up to three arrays in the order in which they are read, those without
/// atoms left out, and the number of turns as one parameter more, the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// Turns of the loop of the program that it was made of.
    pub turns: u32,
    /// Atoms that are read before the loop.
    pub before: u32,
    /// Atoms that a turn reads.
    pub each: u32,
    /// Atoms that are read after the loop.
    pub after: u32,
    /// Whether the last atoms of the program are read first: those before the loop are its last, and turns go down.
    pub descending: bool,
}

impl Rounds {
    /// How many atoms the arrays have.
    pub fn sizes(self) -> Vec<usize> {
        let all = [self.before, self.turns * self.each, self.after];
        all.into_iter().filter(|&atoms| atoms > 0).map(|atoms| atoms as usize).collect()
    }

    /// Which atom of the program each one of the arrays is, these one after another.
    fn order(self) -> Vec<usize> {
        let [turns, before, each, after] =
            [self.turns, self.before, self.each, self.after].map(|number| number as usize);
        let all = before + turns * each + after;
        if !self.descending {
            return (0..all).collect();
        }
        let turned = (0..turns).rev().flat_map(|turn| (0..each).map(move |atom| after + turn * each + atom));
        (after + turns * each..all).chain(turned).chain(0..after).collect()
    }

    /// The arrays of these atoms, one after another.
    pub fn ordered<T: Clone>(self, atoms: &[T]) -> Vec<T> {
        self.order().into_iter().filter_map(|atom| atoms.get(atom).cloned()).collect()
    }

    /// The atoms of the program, of the arrays one after another.
    pub fn of_program<T: Clone>(self, ordered: &[T]) -> Vec<T> {
        let mut all: Vec<(usize, T)> = self.order().into_iter().zip(ordered.iter().cloned()).collect();
        all.sort_by_key(|&(atom, _)| atom);
        all.into_iter().map(|(_, value)| value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    #[test]
    fn turns_come_in_the_order_in_which_they_are_read() {
        let up = Rounds { turns: 2, before: 1, each: 2, after: 3, descending: false };
        assert_eq!(up.sizes(), [1, 4, 3]);
        assert_eq!(up.ordered(&[0, 1, 2, 3, 4, 5, 6, 7]), [0, 1, 2, 3, 4, 5, 6, 7]);
        let down = Rounds { before: 0, each: 2, after: 1, descending: true, ..up };
        assert_eq!(down.sizes(), [4, 1]);
        assert_eq!(down.ordered(&[0, 1, 2, 3, 4]), [3, 4, 1, 2, 0]);
        assert_eq!(down.of_program(&[3, 4, 1, 2, 0]), [0, 1, 2, 3, 4]);
    }
}
