//! Values of whole groups.

use super::steps::Grouping;
use super::unlike::{self, Rewired, Wiring};
use super::{Finding, Packing};
use crate::messages;
use crate::sliced::{Constant, Expression, ExpressionKind, LogicOp, Use};
use usuba_lang::source::Span;
use usuba_lang::typed::{self, Body, ExpressionKind as Typed};

/// The words of one group in order: from where each comes, `None` for zero.
type Sources = Vec<Option<u32>>;

/// A word without operations of its own.
#[derive(Clone, Copy)]
enum Leaf {
    Use(Use),
    Constant(Constant),
}

/// The group made of these words, the first the most significant.
pub(super) fn group_of(words: &[Constant]) -> Constant {
    let value = words.iter().fold(0, |group, word| group << (word.width % 128) | word.value);
    Constant { value, width: words.iter().map(|word| word.width).sum() }
}

impl<'p> Grouping<'_, 'p> {
    /// The groups of an expression of whole groups.
    pub(super) fn groups(&mut self, expression: &typed::Expression) -> Result<Expression, Finding> {
        let words = self.packer.words as usize;
        if let Some(leaves) = self.leaves(expression) {
            if !leaves.len().is_multiple_of(words) {
                return Err(messages::packed_part(expression.span, leaves.len(), self.packer.words));
            }
            let parts = leaves
                .chunks(words)
                .map(|group| self.leaf_group(group, expression.span))
                .collect::<Result<_, _>>()?;
            return Ok(joined(parts, expression.span));
        }
        let kind = match &expression.kind {
            Typed::Tuple(parts) => return self.tuple(parts, expression.span),
            Typed::Not(value) => ExpressionKind::Not(Box::new(self.groups(value)?)),
            Typed::Refresh(value) => ExpressionKind::Refresh(Box::new(self.groups(value)?)),
            Typed::Shuffle { pattern, value } => {
                ExpressionKind::Shuffle { pattern: pattern.clone(), value: Box::new(self.groups(value)?) }
            }
            Typed::Logic(op, left, right) => {
                ExpressionKind::Logic(*op, Box::new(self.groups(left)?), Box::new(self.groups(right)?))
            }
            Typed::Arithmetic { op, width, left, right } => ExpressionKind::Arithmetic {
                op: *op,
                width: *width,
                left: Box::new(self.groups(left)?),
                right: Box::new(self.groups(right)?),
            },
            Typed::Gather { sources, value } => {
                return self.gather(sources, value, expression.span);
            }
            Typed::Call { callee, arguments } => {
                if let Body::Permutation { sources } = &self.packer.program.instance(*callee).body {
                    let sources: Sources = sources.iter().map(|&source| Some(source)).collect();
                    return self.gather(&sources, arguments, expression.span);
                }
                let callee = self.packer.instance(*callee, Packing::Cut)?;
                ExpressionKind::Call { callee, arguments: Box::new(self.groups(arguments)?) }
            }
            Typed::Pack { .. } => {
                return Err(messages::packed_pack(expression.span, self.packer.words));
            }
            Typed::Shift { .. }
            | Typed::Bitmask { .. }
            | Typed::Regroup { .. }
            | Typed::Accept { .. }
            | Typed::Atoms(_)
            | Typed::Constants(_) => {
                return Err(messages::packed_part(expression.span, 1, self.packer.words));
            }
        };
        Ok(Expression { kind, span: expression.span })
    }

    /// One expression for several, one per word of a group, that differ in nothing but the word; where bits of words are moved
    /// for nothing, also in how they are.
    pub(super) fn across(&mut self, all: &[&typed::Expression]) -> Result<Expression, Finding> {
        if !self.packer.in_planes || unlike::have_one_head(all) {
            return self.alike(all);
        }
        match unlike::rewired(self.packer.program, all) {
            Some(rewired) => self.masked(&rewired, all[0].span),
            None => self.alike(all),
        }
    }

    /// Words of a group, wired each in its way.
    fn masked(&mut self, rewired: &[Rewired], span: Span) -> Result<Expression, Finding> {
        let cores: Vec<&typed::Expression> = rewired.iter().map(|word| &word.core).collect();
        let group = self.across(&cores)?;
        let group = self.named(group, 1)[0];
        let ways = unlike::ways(rewired);
        let wired = |wiring: &[Wiring]| {
            let group = Expression { kind: ExpressionKind::Atoms(vec![group]), span };
            wiring.iter().rev().fold(group, |value, wiring| Expression { kind: wiring.of(value), span })
        };
        let masked = |value: Expression, words: &dyn Fn(usize) -> bool| {
            let ones = usuba_ir::evaluate::ones(self.packer.width);
            let word =
                |number| Constant { value: if words(number) { ones } else { 0 }, width: self.packer.width };
            let mask = group_of(&(0..rewired.len()).map(word).collect::<Vec<_>>());
            let mask = Expression { kind: ExpressionKind::Constants(vec![mask]), span };
            ExpressionKind::Logic(LogicOp::And, Box::new(value), Box::new(mask))
        };
        let mut ways = ways.into_iter();
        let Some((first, _)) = ways.next() else { return Ok(wired(&[])) };
        Ok(ways.fold(wired(first), |others, (wiring, words)| {
            let kept = Expression { kind: masked(others, &|number| !words.contains(&number)), span };
            let put = Expression { kind: masked(wired(wiring), &|number| words.contains(&number)), span };
            Expression { kind: ExpressionKind::Logic(LogicOp::Xor, Box::new(kept), Box::new(put)), span }
        }))
    }

    /// One expression for several that differ in nothing but the word.
    fn alike(&mut self, alike: &[&typed::Expression]) -> Result<Expression, Finding> {
        let first = alike[0];
        let span = first.span;
        let differ =
            || messages::packed_unlike(span, alike.iter().skip(1).map(|other| other.span), alike.len());
        /// The fields of one variant in all the expressions.
        macro_rules! all {
            ($pattern:pat $(if $guard:expr)? => $field:expr) => {
                alike
                    .iter()
                    .map(|expression| match &expression.kind {
                        $pattern $(if $guard)? => Some($field),
                        _ => None,
                    })
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(differ)?
            };
        }
        let same = |condition: bool| if condition { Ok(()) } else { Err(differ()) };
        let kind = match &first.kind {
            Typed::Atoms(uses) => {
                let lists = all!(Typed::Atoms(uses) => uses);
                same(lists.iter().all(|list| list.len() == uses.len()))?;
                let parts = (0..uses.len())
                    .map(|q| {
                        let words: Vec<Leaf> = lists.iter().map(|list| Leaf::Use(list[q])).collect();
                        self.leaf_group(&words, span)
                    })
                    .collect::<Result<_, _>>()?;
                return Ok(joined(parts, span));
            }
            Typed::Constants(constants) => {
                let lists = all!(Typed::Constants(constants) => constants);
                same(lists.iter().all(|list| list.len() == constants.len()))?;
                let group = |q: usize| group_of(&lists.iter().map(|list| list[q]).collect::<Vec<_>>());
                ExpressionKind::Constants((0..constants.len()).map(group).collect())
            }
            Typed::Tuple(parts) => {
                let lists = all!(Typed::Tuple(parts) => parts);
                same(lists.iter().all(|list| list.len() == parts.len()))?;
                let parts = (0..parts.len())
                    .map(|i| self.across(&lists.iter().map(|list| &list[i]).collect::<Vec<_>>()))
                    .collect::<Result<_, _>>()?;
                ExpressionKind::Tuple(parts)
            }
            Typed::Not(_) => {
                let values = all!(Typed::Not(value) => &**value);
                ExpressionKind::Not(Box::new(self.across(&values)?))
            }
            Typed::Refresh(_) => {
                let values = all!(Typed::Refresh(value) => &**value);
                ExpressionKind::Refresh(Box::new(self.across(&values)?))
            }
            Typed::Logic(op, ..) => {
                let lefts = all!(Typed::Logic(other, left, _) if other == op => &**left);
                let rights = all!(Typed::Logic(_, _, right) => &**right);
                ExpressionKind::Logic(*op, Box::new(self.across(&lefts)?), Box::new(self.across(&rights)?))
            }
            Typed::Arithmetic { op, width, .. } => {
                let lefts = all!(Typed::Arithmetic { op: other, left, .. } if other == op => &**left);
                let rights = all!(Typed::Arithmetic { right, .. } => &**right);
                ExpressionKind::Arithmetic {
                    op: *op,
                    width: *width,
                    left: Box::new(self.across(&lefts)?),
                    right: Box::new(self.across(&rights)?),
                }
            }
            Typed::Shift { op, amount, .. } => {
                let values = all!(Typed::Shift { op: o, amount: n, value }
                    if o == op && n == amount => &**value);
                let value = Box::new(self.across(&values)?);
                ExpressionKind::Shift { op: *op, amount: *amount, value }
            }
            Typed::Gather { sources, .. } => {
                let values = all!(Typed::Gather { sources: other, value } if other == sources => &**value);
                let value = Box::new(self.across(&values)?);
                ExpressionKind::Gather { sources: sources.clone(), value }
            }
            Typed::Shuffle { pattern, .. } => {
                let values = all!(Typed::Shuffle { pattern: other, value } if other == pattern => &**value);
                let value = Box::new(self.across(&values)?);
                ExpressionKind::Shuffle { pattern: pattern.clone(), value }
            }
            Typed::Bitmask { bit, .. } => {
                let values = all!(Typed::Bitmask { bit: other, value } if other == bit => &**value);
                ExpressionKind::Bitmask { bit: *bit, value: Box::new(self.across(&values)?) }
            }
            Typed::Pack { .. } => return Err(messages::packed_pack(span, self.packer.words)),
            Typed::Regroup { .. } | Typed::Accept { .. } => {
                return Err(messages::packed_part(span, 1, self.packer.words));
            }
            Typed::Call { callee, .. } => {
                let values =
                    all!(Typed::Call { callee: other, arguments } if other == callee => &**arguments);
                let arguments = Box::new(self.across(&values)?);
                match &self.packer.program.instance(*callee).body {
                    Body::Permutation { sources } => ExpressionKind::Gather {
                        sources: sources.iter().map(|&source| Some(source)).collect(),
                        value: arguments,
                    },
                    _ => {
                        let callee = self.packer.instance(*callee, Packing::Wide)?;
                        ExpressionKind::Call { callee, arguments }
                    }
                }
            }
        };
        Ok(Expression { kind, span })
    }

    /// The words of an expression that only names and moves words.
    fn leaves(&self, expression: &typed::Expression) -> Option<Vec<Leaf>> {
        Some(match &expression.kind {
            Typed::Atoms(uses) => uses.iter().copied().map(Leaf::Use).collect(),
            Typed::Constants(constants) => constants.iter().copied().map(Leaf::Constant).collect(),
            Typed::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.leaves(part)).collect::<Option<Vec<_>>>()?;
                parts.into_iter().flatten().collect()
            }
            Typed::Gather { sources, value } => {
                let leaves = self.leaves(value)?;
                let zero = Leaf::Constant(Constant { value: 0, width: self.packer.width });
                sources.iter().map(|source| source.map_or(zero, |source| leaves[source as usize])).collect()
            }
            Typed::Call { callee, arguments } => {
                let Body::Permutation { sources } = &self.packer.program.instance(*callee).body else {
                    return None;
                };
                let leaves = self.leaves(arguments)?;
                sources.iter().map(|&source| leaves[source as usize]).collect()
            }
            _ => return None,
        })
    }

    /// A group of words that are there: words of one group, some of them zero, or constants.
    fn leaf_group(&self, words: &[Leaf], span: Span) -> Result<Expression, Finding> {
        let mut group: Option<Use> = None;
        let mut sources = Sources::new();
        let mut constants = Vec::new();
        for word in words {
            match word {
                Leaf::Constant(constant) => {
                    constants.push(*constant);
                    sources.push(None);
                }
                Leaf::Use(used) => {
                    let place = self.place(used, span)?;
                    if *group.get_or_insert(place.group) != place.group {
                        return Err(messages::packed_scattered(span, words.len()));
                    }
                    sources.push(Some(place.word));
                }
            }
        }
        let Some(group) = group else {
            return Ok(Expression { kind: ExpressionKind::Constants(vec![group_of(&constants)]), span });
        };
        if constants.iter().any(|constant| constant.value != 0) {
            return Err(messages::packed_mixed(span, words.len()));
        }
        let value = Expression { kind: ExpressionKind::Atoms(vec![group]), span };
        Ok(self.moved(value, &sources))
    }

    /// The words of the groups of `value`, all moved in the same way.
    pub(super) fn moved(&self, value: Expression, sources: &[Option<u32>]) -> Expression {
        let span = value.span;
        let still = sources.iter().zip(0..).all(|(source, word)| source.is_none_or(|source| source == word));
        let width = self.packer.width;
        let moved = if still {
            value
        } else {
            let sources = sources.iter().zip(0..).map(|(source, word)| source.unwrap_or(word)).collect();
            Expression { kind: ExpressionKind::MoveWords { sources, value: Box::new(value) }, span }
        };
        if sources.iter().all(Option::is_some) {
            return moved;
        }
        let word = |source: &Option<u32>| Constant {
            value: if source.is_some() { usuba_ir::evaluate::ones(width) } else { 0 },
            width,
        };
        let kept = group_of(&sources.iter().map(word).collect::<Vec<_>>());
        let mask = Expression { kind: ExpressionKind::Constants(vec![kept]), span };
        Expression { kind: ExpressionKind::Logic(LogicOp::And, Box::new(moved), Box::new(mask)), span }
    }

    /// Words of an expression that computes, moved inside of groups.
    fn gather(
        &mut self,
        sources: &[Option<u32>],
        value: &typed::Expression,
        span: Span,
    ) -> Result<Expression, Finding> {
        let words = self.packer.words;
        if !sources.len().is_multiple_of(words as usize) {
            return Err(messages::packed_part(span, sources.len(), words));
        }
        let mut moves: Vec<(usize, Sources)> = Vec::new();
        for group in sources.chunks(words as usize) {
            let mut from = group.iter().flatten().map(|source| source / words);
            let first = from.next().unwrap_or(0);
            if from.any(|other| other != first) {
                return Err(messages::packed_scattered(span, words as usize));
            }
            let within = group.iter().map(|source| source.map(|source| source % words)).collect();
            moves.push((first as usize, within));
        }
        let groups = self.groups(value)?;
        let atoms = count(self.packer.program, value) as u32 / words;
        if let (1, [(_, within)]) = (atoms, &moves[..]) {
            return Ok(self.moved(groups, within));
        }
        let named = self.named(groups, atoms);
        let parts = moves
            .iter()
            .map(|(group, within)| {
                let value = Expression { kind: ExpressionKind::Atoms(vec![named[*group]]), span };
                self.moved(value, within)
            })
            .collect();
        Ok(joined(parts, span))
    }

    /// Parts that are whole groups, or single words of one shape, a group of them at a time.
    fn tuple(&mut self, parts: &[typed::Expression], span: Span) -> Result<Expression, Finding> {
        let words = self.packer.words as usize;
        let mut packed = Vec::new();
        let mut rest = parts;
        while let Some((first, others)) = rest.split_first() {
            let atoms = count(self.packer.program, first);
            if atoms.is_multiple_of(words) {
                packed.push(self.groups(first)?);
                rest = others;
                continue;
            }
            let Some((alike, others)) = rest.split_at_checked(words).filter(|_| atoms == 1) else {
                return Err(messages::packed_part(span, atoms, self.packer.words));
            };
            packed.push(self.across(&alike.iter().collect::<Vec<_>>())?);
            rest = others;
        }
        Ok(Expression { kind: ExpressionKind::Tuple(packed), span })
    }
}

/// Several groups as one expression: a list of atoms, if they are nothing else.
fn joined(mut parts: Vec<Expression>, span: Span) -> Expression {
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return only;
    }
    let uses: Option<Vec<Use>> = parts
        .iter()
        .map(|part| match &part.kind {
            ExpressionKind::Atoms(uses) => uses.first().copied().filter(|_| uses.len() == 1),
            _ => None,
        })
        .collect();
    Expression { kind: uses.map_or(ExpressionKind::Tuple(parts), ExpressionKind::Atoms), span }
}

/// The number of atoms of an expression.
fn count(program: &typed::Program, expression: &typed::Expression) -> usize {
    match &expression.kind {
        Typed::Atoms(atoms) => atoms.len(),
        Typed::Constants(constants) => constants.len(),
        Typed::Tuple(parts) => parts.iter().map(|part| count(program, part)).sum(),
        Typed::Not(value)
        | Typed::Logic(_, value, _)
        | Typed::Arithmetic { left: value, .. }
        | Typed::Shuffle { value, .. }
        | Typed::Refresh(value) => count(program, value),
        Typed::Shift { .. } | Typed::Bitmask { .. } | Typed::Pack { .. } => 1,
        Typed::Accept { .. } => 0,
        Typed::Regroup { value, .. } => count(program, value),
        Typed::Gather { sources, .. } => sources.len(),
        Typed::Call { callee, .. } => {
            let callee = program.instance(*callee);
            callee.outputs.iter().map(|&output| callee.variable(output).atoms() as usize).sum()
        }
    }
}
