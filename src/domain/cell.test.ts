import { expect, test } from 'vitest';
import type { Cell, Cells } from './cell.ts';
import * as facts from './cell.ts';
import { defer, findFailed } from './failure.ts';

type Field = 'active' | 'name' | 'address';

const withSource = (cells: Cells<Field>, field: Field, source: Cell['source']) =>
  facts.edit(cells, [field], (cell) => ({ ...cell, source }));

test('the text of a cell begins with what waits, in whatever order it was written', () => {
  const problem = { code: 'refused', words: '"pending":1' };
  const heard = facts.withEcho<Field>({}, 'name', { sent: 'a', back: 'b' });
  const asked = facts.ask(withSource(heard, 'name', { value: 1, by: 'rule' }), ['name'], 2);
  const refused = facts.edit(asked, ['name'], (cell) =>
    defer(cell, { problem, now: 5, retryAt: 9 }),
  );

  expect(JSON.stringify(refused)).toMatch(/^\{"name":\{"pending":2,/);
  expect(JSON.stringify(facts.onlyWaiting(refused, []))).not.toContain('"pending":');
});

const problem = { code: 'timeout', words: 'late' };
const failing = { problem, now: 0, retryAt: 1, attemptsMax: 2 };
const known = { source: { value: 1, by: 'rule' }, echo: { sent: 'a', back: 'b' } } as const;
const name = defer<Cell>({ ...known, pending: 5, sent: 3 }, failing);
const active = { pending: 5 };
const cells: Cells<Field> = { name, active };
const left = { ...known, sent: facts.OF_OTHER };

test.each<[what: string, after: Cells<Field>, want: Cells<Field>]>([
  ['is done keeps where it came from', facts.done(cells, cells, ['name']), { name: left, active }],
  ['is asked for again waits on', facts.askAgain(cells, ['name'], 9), cells],
  [
    'is asked for alone ends the others',
    facts.askOnly(cells, ['active'], 9),
    { name: { ...known, sent: 3 }, active: { pending: 9 } },
  ],
  ['is let go is forgotten', facts.release(cells, ['name']), { active }],
  [
    'waits alone has no words and values',
    facts.onlyPending(cells),
    { name: { pending: 5, sent: 3 }, active },
  ],
])('a field that %s', (_what, after, want) => {
  expect(after).toStrictEqual(want);
  expect(JSON.parse(JSON.stringify(after))).toStrictEqual(after);
});

test('a write that failed is counted anew after a new ask', () => {
  const again = { ...name, pending: 9 };

  expect(findFailed(name)?.attempts).toBe(1);
  expect(findFailed(again)).toBeUndefined();
  expect(findFailed(defer(again, failing))?.attempts).toBe(1);
  expect(facts.isSameWork({ name }, { name: { pending: 5, sent: 3 } })).toBe(true);
});

const OTHER = facts.OF_OTHER;
const EARLIER = { pending: 5, sent: 3 };
test.each<[why: string, name: Cell, is: string[]]>([
  ['nothing was sent', { pending: 5 }, []],
  ['a call for what is held', { sent: 5 }, ['sent']],
  ['a call for what waits', { pending: 5, sent: 5 }, ['sent', 'in doubt']],
  ['a call for an earlier write', EARLIER, ['sent', 'in doubt', 'unsure']],
  ['a call for another resource', { sent: OTHER }, ['sent', 'in doubt']],
])('what a lost call may still change: %s', (_why, name, is) => {
  const cells = { name };

  expect(facts.listSent(cells)).toEqual(is.includes('sent') ? ['name'] : []);
  expect(facts.listUnsure(cells)).toEqual(is.includes('unsure') ? ['name'] : []);
  expect(facts.hasDoubt(cells)).toBe(is.includes('in doubt'));
});

const forget = (name: Cell) => facts.forgetSent({ name }, ['name']);
const copy = (name: Cell) => facts.onlyEchoes({ name });
const leave = (name: Cell) => ({ name: facts.markSent(name) });
const end = (name: Cell) => facts.done({ name }, { name: { pending: 5 } }, ['name']);
test.each<[why: string, change: (name: Cell) => Cells<Field>, before: Cell, after?: Cell]>([
  ['its own call may still come', end, { pending: 5, sent: 5 }, { sent: 5 }],
  ['an earlier call may still undo it', end, EARLIER, { sent: OTHER }],
  ['what is sent again for safety is over', end, { pending: 5, sent: -1 }],
  ['a newer write waits', end, { pending: 7, sent: 5 }, { pending: 7, sent: 5 }],
  ['a call leaves', leave, { pending: 5 }, { pending: 5, sent: 5 }],
  ['another call leaves', leave, EARLIER, EARLIER],
  ['no call can come any more', forget, EARLIER, { pending: 5 }],
  ['another resource has it', copy, EARLIER, { sent: OTHER }],
])('a field after a call: %s', (_why, change, before, after) =>
  expect(change(before)).toEqual(after ? { name: after } : {}),
);

test('the service holds a value in its own words too, if they came back for this very value', () => {
  const echo = { sent: 'a', back: 'A' };
  const isHeld = (wanted: string, held: string) => facts.holds({ echo }, wanted, held);

  expect([isHeld('a', 'A'), isHeld('b', 'b'), isHeld('b', 'A'), isHeld('a', 'B')]).toEqual([
    ...[true, true, false, false],
  ]);
  expect([facts.toEcho('a', 'A'), facts.toEcho('a', 'a')]).toEqual([{ echo }, {}]);
});
