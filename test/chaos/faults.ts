import type { Fault, FaultRule } from '../../src/sandbox/faults.ts';
import {
  getRow,
  handlers,
  isOperationName,
  type OperationName,
} from '../../src/sandbox/operations.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';

/** Calls that one fault meets at most, so that all of them end by themselves. */
const TIMES_MAX = 6;

/** What may go wrong with a call without anything being refused for good. */
const kinds: readonly ((random: SeededRandom) => Fault)[] = [
  (random) => ({ kind: 'delay', delayMs: Math.ceil(random.next() * 700) }),
  () => ({ kind: 'status', status: 429 }),
  () => ({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
  (random) => ({ kind: 'status', status: random.pick([500, 502, 503]) }),
  (random) => ({ kind: 'status', status: random.pick([500, 503]), effect: 'done' }),
  () => ({ kind: 'hang' }),
  () => ({ kind: 'hang', effect: 'done' }),
  () => ({ kind: 'reset', at: 'before-effect' }),
  () => ({ kind: 'reset', at: 'after-effect' }),
  () => ({ kind: 'reset', at: 'mid-answer' }),
  () => ({ kind: 'html' }),
  () => ({ kind: 'truncated' }),
];

/** What the bridge never asks for here. */
const UNUSED = ['scim.addGroup', 'companyUsers.removeVirtualUser'];
const creations = ['scim.addUser', 'groups.createGroup'] as const;
const names = Object.keys(handlers).filter(isOperationName);
const used = names.filter((name) => !UNUSED.includes(name));
const mutating = used.filter((name) => getRow(name).method !== 'GET');

/** Draws a fault: mostly of changes, for a lost answer matters most there. */
export function drawFault(random: SeededRandom): FaultRule {
  const chance = random.next();
  const list = chance < 0.5 ? creations : chance < 0.85 ? mutating : used;
  const operation = chance < 0.25 ? '*' : random.pick<OperationName>(list);
  return {
    operation,
    fault: random.pick(kinds)(random),
    skip: Math.floor(random.next() * 3),
    times: Math.ceil(random.next() * TIMES_MAX),
  };
}
