import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, Cells } from './cell.ts';
import * as facts from './cell.ts';
import { waitingFor } from './cell-test-support.ts';
import { defer, endRest, findFailed } from './failure.ts';

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

const FIELDS = ['active', 'name', 'address'] as const;
const version = fc.integer({ min: 1, max: 9 });
const time = fc.integer({ min: 0, max: 99 });
const PLAIN = { noNullPrototype: true };
const code = fc.constantFrom('refused', 'timeout');
const problem = fc.record({ code, words: fc.string() }, PLAIN);
const by = fc.constantFrom('rule' as const, 'service' as const);
const source = fc.record({ value: fc.oneof(fc.integer(), fc.boolean()), by }, PLAIN);
const echo = fc.record({ sent: fc.string(), back: fc.string() }, PLAIN);
const field = fc.constantFrom(...FIELDS);
const fields = fc.uniqueArray(field);

type Change = [fields: Field[], change: (cells: Cells<Field>) => Cells<Field>];

const LIMITS = { retryAt: 1, attemptsMax: 2, now: 0 };

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(fields, version)
    .map(([some, at]): Change => [some, (cells) => facts.ask(cells, some, at)]),
  fc.tuple(fields, version).map(([some, at]): Change => {
    const planned = waitingFor(Object.fromEntries(some.map((one) => [one, at])));
    return [some, (cells) => facts.done(cells, planned, some)];
  }),
  fc.tuple(fields, problem, time).map(([some, why, now]): Change => {
    const later = { problem: why, now, retryAt: now + 5 };
    return [some, (cells) => facts.edit(cells, some, (cell) => defer(cell, later))];
  }),
  fc.tuple(fields, problem, fc.boolean()).map(([some, why, isOwn]): Change => {
    const failing = { problem: why, isOwn, ...LIMITS };
    return [some, (cells) => facts.edit(cells, some, (cell) => defer(cell, failing))];
  }),
  fc
    .tuple(field, fc.option(source, { nil: undefined }))
    .map(([one, from]): Change => [[one], (cells) => withSource(cells, one, from)]),
  fc
    .tuple(field, echo)
    .map(([one, heard]): Change => [[one], (cells) => facts.withEcho(cells, one, heard)]),
  fields.map((some): Change => [some, (cells) => facts.release(cells, some)]),
);

const history = fc
  .array(changes, { maxLength: 12 })
  .map((all) => all.reduce<Cells<Field>>((cells, [, change]) => change(cells), {}));

const toRest = (cell: Cell | undefined) => ({ source: cell?.source, echo: cell?.echo });

function hold<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { seed: 20_261_125, numRuns: 200 });
}

test('ask, then done, is at rest, and keeps where the value came from and what came back', () => {
  hold(
    fc.property(history, fields, version, (cells, some, at) => {
      const asked = facts.ask(cells, some, at);
      const rest = facts.done(asked, asked, some);

      expect(facts.listWaiting(rest).filter((one) => some.includes(one))).toEqual([]);
      for (const one of some) expect(rest[one]?.failure).toBeUndefined();
      for (const one of FIELDS) expect(toRest(rest[one])).toEqual(toRest(cells[one]));
    }),
  );
});

test('done of an older version never clears a newer ask', () => {
  hold(
    fc.property(history, fields, version, version, (cells, some, at, later) => {
      const planned = facts.ask(cells, some, at);
      const newer = facts.ask(planned, some, at + later);

      expect(facts.done(newer, planned, some)).toStrictEqual(newer);
    }),
  );
});

test('a write that failed is counted anew after a new ask, and no longer once it is done', () => {
  hold(
    fc.property(history, problem, fields, version, (cells, why, some, at) => {
      const asked = facts.ask(cells, some, 9 + at);
      const failOnce = (cell: Cell) => defer(cell, { problem: why, isOwn: true, ...LIMITS });
      const failed = facts.edit(asked, some, failOnce);
      const again = facts.ask(failed, some, 99 + at);

      for (const one of some) {
        expect(findFailed(failed[one])?.attempts).toBe(1);
        expect(findFailed(again[one])).toBeUndefined();
        expect(findFailed(failOnce(again[one] ?? {}))?.attempts).toBe(1);
        expect(facts.done(failed, asked, some)[one]?.failure).toBeUndefined();
      }
    }),
  );
});

test('no change touches another field', () => {
  hold(
    fc.property(history, changes, (cells, [some, change]) => {
      const after = change(cells);

      for (const one of FIELDS) {
        if (!some.includes(one)) expect(after[one]).toStrictEqual(cells[one]);
      }
    }),
  );
});

test('cells come back from their text as they were, and none is empty', () => {
  hold(
    fc.property(history, time, (cells, now) => {
      const rested = endRest(cells, now, 'all');

      for (const some of [cells, rested, facts.onlyPending(cells), facts.onlyEchoes(cells)]) {
        expect(JSON.parse(JSON.stringify(some))).toStrictEqual(some);
        for (const cell of Object.values<Cell | undefined>(some))
          expect(Object.keys(cell ?? {})).not.toEqual([]);
      }
    }),
  );
});

test('a field that does not wait has no failure, and what waits alone is what was asked for', () => {
  hold(
    fc.property(history, fields, version, (cells, some, at) => {
      for (const one of FIELDS) {
        if (!facts.isWaiting(cells[one])) expect(cells[one]?.failure).toBeUndefined();
      }
      expect(new Set(facts.listWaiting(facts.askOnly(cells, some, at)))).toEqual(new Set(some));
      expect(facts.isSameWork(cells, facts.onlyPending(cells))).toBe(true);
    }),
  );
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
