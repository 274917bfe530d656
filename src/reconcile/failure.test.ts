import { describe, expect, test } from 'vitest';
import { createReadForTest, startCompany } from '../../test/support/first-read.ts';
import { describeStores } from '../../test/support/stores.ts';
import { toCreateFailure, toFailedLook, toFailure, toLater } from './failure.ts';
import { toRetryColumns } from './retry-columns.ts';
import { readSections } from './sections.ts';

const problem = { code: 'busy', words: 'Too many requests', status: 429 };
const fresh = { attempts: 0, failing_since: null, must_look: 0 } as const;
const row = { ...fresh, last_error: null, due_class: 1 } as const;
const moment = { now: 1_000_000, random: 0 };

describe('what is tried another time', () => {
  test('when the service said so, without a look', () => {
    const outcome = toLater({ verdict: 'later', problem, retryAfterMs: 30_000 });

    expect(toRetryColumns(row, outcome, moment)).toMatchObject({ must_look: 0, due_at: 1_030_000 });
  });

  test('without a time from the service, after the usual delay', () => {
    const outcome = toLater({ verdict: 'later', problem });

    expect(outcome).toStrictEqual({ kind: 'later', problem });
    expect(toRetryColumns(row, outcome, moment)).toMatchObject({ must_look: 0, attempts: 1 });
  });
});

const parts = ['displayName', 'permissions'];
const refused = { kind: 'refused', parts, problem };

describeStores('what a failed call means for the resource', ({ makeStore }) => {
  test('all but "forbidden" is known without another call', async () => {
    const sandbox = await startCompany({});
    const { deps } = await createReadForTest(sandbox, await makeStore());
    const table = [
      ['refused', refused],
      ['conflict', refused],
      ['smaller', refused],
      ['missing', { kind: 'unknown', problem, lookNow: true }],
      ['unknown', { kind: 'unknown', problem, parts }],
      ['later', { kind: 'later', problem, retryAfterMs: 5 }],
    ] as const;

    const about = { parts, section: 'groups', missed: undefined } as const;

    for (const [verdict, want] of table) {
      const classified = { verdict, problem, retryAfterMs: 5 };
      expect(await toFailure(deps, classified, about)).toStrictEqual(want);
    }
    expect(sandbox.calls.count()).toBe(0);
  });

  test.each([
    { why: 'a look found it: refused', missed: 'found', want: refused },
    {
      why: 'it was made anew: looked at later',
      missed: 'gone',
      want: { kind: 'unknown', problem },
    },
  ] as const)('missing again although $why', async ({ missed, want }) => {
    const { deps } = await createReadForTest(await startCompany({}), await makeStore());
    const about = { parts, section: 'groups', missed } as const;

    expect(await toFailure(deps, { verdict: 'missing', problem }, about)).toStrictEqual(want);
  });

  test('a failed create is refused where something is missing: it is not there yet itself', async () => {
    const { deps } = await createReadForTest(await startCompany({}), await makeStore());
    const classified = { verdict: 'missing', problem } as const;

    expect(await toCreateFailure(deps, classified, { parts, section: 'groups' })).toStrictEqual(
      refused,
    );
  });

  test.each([
    { verdict: 'forbidden', calls: 1 },
    { verdict: 'unknown', calls: 0 },
  ] as const)(
    'a failed look is made again ($verdict: $calls calls for the section)',
    async (row) => {
      const sandbox = await startCompany({});
      const { deps } = await createReadForTest(sandbox, await makeStore());
      const classified = { verdict: row.verdict, problem };

      expect(await toFailedLook(deps, classified, 'groups')).toStrictEqual({
        kind: 'later',
        problem,
      });
      expect(sandbox.calls.count()).toBe(row.calls);
    },
  );

  test.each(['users', 'groups', 'companyUsers'] as const)(
    'forbidden while the section %s can be read: this resource is refused',
    async (section) => {
      const sandbox = await startCompany({});
      const { deps, told } = await createReadForTest(sandbox, await makeStore());
      const classified = { verdict: 'forbidden', problem } as const;

      expect(
        await toFailure(deps, classified, { parts, section, missed: undefined }),
      ).toStrictEqual(refused);
      expect(sandbox.calls.count()).toBe(1);
      expect(told.sections).toEqual([]);
    },
  );

  test.each(['users', 'groups', 'companyUsers'] as const)(
    'forbidden, and the section %s cannot be read either: it is closed, and this has to wait',
    async (section) => {
      const store = await makeStore();
      const sandbox = await startCompany({});
      const { deps, told } = await createReadForTest(sandbox, store);
      sandbox.faults.refuse(section, 403);
      const classified = { verdict: 'forbidden', problem, retryAfterMs: 5 } as const;

      const outcome = await toFailure(deps, classified, { parts, section, missed: undefined });

      expect(outcome).toStrictEqual({ kind: 'later', problem, retryAfterMs: 5 });
      expect(told.sections).toMatchObject([{ section, up: false }]);
      expect(await readSections({ store })).toMatchObject({ [section]: { problem } });
    },
  );
});
