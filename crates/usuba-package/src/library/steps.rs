//! Which engine works on how many blocks.

/// What an engine costs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Blocks of a batch; fewer cost no less.
    pub batch: u32,
    /// Cycles of a batch.
    pub cycles: f64,
    /// What a batch that is not full takes more.
    pub part: f64,
}

/// For up to so many blocks, this engine. `None` for any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The largest number of blocks.
    pub blocks: Option<u32>,
    /// The number of the engine.
    pub engine: usize,
}

/// The steps for the engines in `usable`, places in `costs`.
///
/// An engine that is chosen takes as many whole batches as there are, or all blocks if there is not even one batch; then it
/// is asked again for the rest. Many blocks go to the engine that is the cheapest per block.
pub fn steps(costs: &[Cost], usable: &[usize]) -> Vec<Step> {
    let Some(last) = cheapest(costs, usable) else { return Vec::new() };
    let mut steps: Vec<Step> = Vec::new();
    for (number, (engine, _)) in (1..).zip(best(costs, usable, cost(costs, last).batch)) {
        match steps.last_mut() {
            Some(step) if step.engine == engine => step.blocks = Some(number),
            _ => steps.push(Step { blocks: Some(number), engine }),
        }
    }
    match steps.last_mut() {
        Some(step) if step.engine == last => step.blocks = None,
        _ => steps.push(Step { blocks: None, engine: last }),
    }
    steps
}

/// Those of the engines in `usable` that are worth their code: without one of them, some number of blocks would take more
/// than `times` times the cycles, or many blocks more than `many` times.
pub fn worthwhile(costs: &[Cost], usable: &[usize], times: f64, many: f64) -> Vec<usize> {
    let most = usable.iter().map(|&engine| cost(costs, engine).batch).max().unwrap_or(0);
    let mut kept = usable.to_vec();
    loop {
        let now = best(costs, &kept, most);
        // How much worse the worst case gets without each.
        let loss = |without: usize| {
            let others: Vec<usize> = kept.iter().copied().filter(|&engine| engine != without).collect();
            let then = best(costs, &others, most);
            let ratio = now.iter().zip(&then).map(|(now, then)| then.1 / now.1).fold(1.0, f64::max);
            let is_needed = others.is_empty() || in_bulk(costs, &others) > many * in_bulk(costs, &kept);
            if is_needed { f64::INFINITY } else { ratio }
        };
        let least = kept.iter().map(|&engine| (loss(engine), engine)).min_by(|a, b| a.0.total_cmp(&b.0));
        match least {
            Some((loss, engine)) if loss <= times => kept.retain(|&one| one != engine),
            _ => return kept,
        }
    }
}

fn cost(costs: &[Cost], engine: usize) -> Cost {
    costs.get(engine).copied().unwrap_or(Cost { batch: 1, cycles: f64::INFINITY, part: 0.0 })
}

/// Cycles that an engine takes for a block of a whole batch.
fn per_block(costs: &[Cost], engine: usize) -> f64 {
    cost(costs, engine).cycles / f64::from(cost(costs, engine).batch.max(1))
}

/// The engine for any number of blocks.
fn cheapest(costs: &[Cost], usable: &[usize]) -> Option<usize> {
    usable.iter().copied().min_by(|&a, &b| per_block(costs, a).total_cmp(&per_block(costs, b)))
}

/// Cycles for each of many blocks.
fn in_bulk(costs: &[Cost], usable: &[usize]) -> f64 {
    cheapest(costs, usable).map_or(f64::INFINITY, |engine| per_block(costs, engine))
}

/// For every number of blocks from 1 to `most`, the best engine and the cycles that all of them take. Of equals it is the one
/// with the smaller batch.
fn best(costs: &[Cost], usable: &[usize], most: u32) -> Vec<(usize, f64)> {
    let mut best: Vec<(usize, f64)> = Vec::new();
    for blocks in 1..=most {
        let total = |engine: usize| {
            let Cost { batch, cycles, part } = cost(costs, engine);
            let rest = blocks % batch.max(1);
            let after = rest
                .checked_sub(1)
                .and_then(|place| best.get(place as usize))
                .map_or(0.0, |(_, cycles)| *cycles);
            if blocks < batch { cycles + part } else { f64::from(blocks / batch.max(1)) * cycles + after }
        };
        let order = |&a: &usize, &b: &usize| {
            total(a).total_cmp(&total(b)).then(cost(costs, a).batch.cmp(&cost(costs, b).batch))
        };
        let Some(engine) = usable.iter().copied().min_by(order) else { return best };
        let cycles = total(engine);
        best.push((engine, cycles));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Cost, Step, steps, worthwhile};

    const COSTS: [Cost; 3] = [
        Cost { batch: 1, cycles: 10.0, part: 0.0 },
        Cost { batch: 4, cycles: 16.0, part: 0.0 },
        Cost { batch: 8, cycles: 20.0, part: 0.0 },
    ];

    #[test]
    fn few_blocks_take_a_narrow_engine() {
        let step = |blocks, engine| Step { blocks, engine };
        assert_eq!(steps(&COSTS, &[0, 1, 2]), [step(Some(1), 0), step(Some(4), 1), step(None, 2)]);
        assert_eq!(steps(&COSTS, &[0]), [step(None, 0)]);
        assert_eq!(steps(&COSTS, &[]), []);
    }

    #[test]
    fn blocks_that_fill_no_batch_may_cost_more() {
        let costs = [Cost { batch: 1, cycles: 3.0, part: 0.0 }, Cost { batch: 4, cycles: 8.0, part: 0.0 }];
        let dearer = [costs[0], Cost { part: 2.0, ..costs[1] }];
        let step = |blocks, engine| Step { blocks, engine };
        assert_eq!(steps(&costs, &[0, 1]), [step(Some(2), 0), step(None, 1)]);
        assert_eq!(steps(&dearer, &[0, 1]), [step(Some(3), 0), step(None, 1)]);
    }

    #[test]
    fn a_wide_engine_that_does_not_pay_is_left_out() {
        let costs = [COSTS[0], COSTS[1], Cost { batch: 8, cycles: 40.0, part: 0.0 }];
        assert!(steps(&costs, &[0, 1, 2]).iter().all(|step| step.engine != 2));
    }

    #[test]
    fn five_blocks_may_be_four_and_one() {
        let costs = [
            Cost { batch: 1, cycles: 3.0, part: 0.0 },
            Cost { batch: 4, cycles: 8.0, part: 0.0 },
            Cost { batch: 8, cycles: 15.0, part: 0.0 },
        ];
        // 5 blocks: 8 + 3 = 11 with engine 1 then 0; 6 blocks: 14; 7 blocks: 8 + 8 = 16 or 15.
        let found = steps(&costs, &[0, 1, 2]);
        assert_eq!(found.last().map(|step| (step.blocks, step.engine)), Some((None, 2)));
        assert!(found.contains(&Step { blocks: Some(6), engine: 1 }));
    }

    #[test]
    fn engines_that_bring_little_are_left_out() {
        // As good as engine 1 for four blocks, and hardly better for eight.
        let costs = [COSTS[0], COSTS[1], Cost { batch: 8, cycles: 31.0, part: 0.0 }];
        assert_eq!(worthwhile(&costs, &[0, 1, 2], 1.1, 1.1), [0, 1]);
        assert_eq!(worthwhile(&COSTS, &[0, 1, 2], 1.1, 1.1), [0, 1, 2]);
        assert_eq!(worthwhile(&COSTS, &[2], 1.1, 1.1), [2]);
    }

    #[test]
    fn what_many_blocks_gain_by_counts_for_more() {
        // As above: the widest engine brings 3 % to many blocks.
        let costs = [COSTS[0], COSTS[1], Cost { batch: 8, cycles: 31.0, part: 0.0 }];
        assert_eq!(worthwhile(&costs, &[0, 1, 2], 1.1, 1.02), [0, 1, 2]);
        assert_eq!(worthwhile(&costs, &[0, 1, 2], 1.1, 1.05), [0, 1]);
    }
}
