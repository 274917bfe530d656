import { expect, test } from 'vitest';
import { createSeededRandom, type SeededRandom } from '../../test/interleavings/seeded-random.ts';
import { callClasses } from './call-class.ts';
import { createGroup, findBusiest, type Group } from './testing/shared-group.ts';

const HOSTS = 4;
const RATE = 5;
const STEPS = 300;
const STEP_MS = 125;

/** Requests that were neither answered nor refused. */
type Open = Set<{ readonly host: number }>;

function ask(group: Group, random: SeededRandom, open: Open): void {
  const host = Math.floor(random.next() * HOSTS);
  // Mostly at once; now and then it takes long to get ready, or too long.
  const lateMs = Math.floor(random.next() * random.pick([5, 30, 30, 900, 7_000]));
  const one = { host };
  open.add(one);
  const settled = () => open.delete(one);
  void group
    .ask(host, 'call', { callClass: random.pick(callClasses), lateMs })
    .then(settled, settled);
}

function disturb(group: Group, random: SeededRandom): void {
  const { cell, budgets, clock } = group;
  if (random.chance(0.03)) cell.trouble = random.pick(['before', 'after']);
  else if (random.chance(0.2)) cell.trouble = 'none';
  if (random.chance(0.005)) cell.lose();
  if (random.chance(0.01)) cell.aheadMs -= Math.floor(random.next() * 20_000);
  // The first two never die.
  if (random.chance(0.005)) budgets[2 + Math.floor(random.next() * 2)]?.close();
  if (random.chance(0.01)) random.pick(budgets).pause(clock.now() + random.next() * 3_000);
}

test.each(Array.from({ length: 40 }, (_, n) => ({ seed: n + 1 })))(
  'whatever is late, lost, killed or set back, no second has more than the rate, and nobody waits for ever (seed $seed)',
  async ({ seed }) => {
    const random = createSeededRandom(seed);
    const group = createGroup(HOSTS, RATE);
    group.cell.delaysMs = Array.from({ length: 17 }, () => Math.floor(random.next() ** 4 * 300));
    const open: Open = new Set();
    for (let step = 0; step < STEPS; step += 1) {
      if (random.chance(0.6)) ask(group, random, open);
      disturb(group, random);
      await group.clock.advance(STEP_MS);
    }
    group.cell.trouble = 'none';
    await group.clock.advance(150_000);

    expect(findBusiest(group.sent)).toBeLessThanOrEqual(RATE);
    expect(group.sent.length).toBeGreaterThan(30);
    expect(open.size).toBe(0);
  },
);
