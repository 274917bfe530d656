import { expect, test } from 'vitest';
import { type AdminByRule, type AdminFacts, toAdminAfterRules } from './ruled-admin.ts';

/** desired, observed, pending, who wants them. */
type Facts = [number | null, number | null, number | null, AdminByRule];

interface Case {
  readonly why: string;
  readonly before?: Facts;
  readonly wanted: boolean;
  readonly unsure?: boolean;
  readonly want: Facts | undefined;
}

const cases: Case[] = [
  { why: 'a new admin waits for a call', wanted: true, want: [1, 0, 5, 'put'] },
  { why: 'nobody is wanted who is not there', wanted: false, want: undefined },
  {
    why: 'whom a provider wants is not touched',
    before: [1, 1, null, null],
    wanted: true,
    want: undefined,
  },
  {
    why: 'whom a provider wants is not taken out',
    before: [1, 1, null, null],
    wanted: false,
    want: undefined,
  },
  {
    why: 'who is there already needs no call',
    before: [null, 1, null, null],
    wanted: true,
    want: [1, 1, null, 'found'],
  },
  {
    why: 'who is there, as far as anybody knows, is asked for',
    before: [null, 1, null, null],
    wanted: true,
    unsure: true,
    want: [1, 1, 5, 'found'],
  },
  {
    why: 'whom a rule put in is taken out',
    before: [1, 1, null, 'put'],
    wanted: false,
    want: [0, 1, 5, null],
  },
  {
    why: 'whom a rule found there is let go',
    before: [1, 1, null, 'found'],
    wanted: false,
    want: [null, 1, null, null],
  },
  {
    why: 'who left by another way is not taken out again',
    before: [0, 1, 3, 'put'],
    wanted: false,
    want: undefined,
  },
  {
    why: 'a removal that was not sent is taken back without a call',
    before: [0, 1, 3, null],
    wanted: true,
    want: [1, 1, null, 'put'],
  },
  {
    why: 'a removal that may be on its way is answered by a call',
    before: [0, 1, 3, null],
    wanted: true,
    unsure: true,
    want: [1, 1, 5, 'put'],
  },
];

for (const { why, before, wanted, unsure = false, want } of cases) {
  test(`an admin by a rule: ${why}`, () => {
    const after = toAdminAfterRules(before && toFacts(before), { wanted, version: 5, unsure });
    expect(after).toEqual(want && toFacts(want));
  });
}

function toFacts([desired, observed, pending, byRule]: Facts): AdminFacts {
  return { desired, observed, pending, byRule };
}
