import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import {
  type AuditEventRow,
  type EventView,
  insertAuditEvents,
  insertEventResources,
} from '../../store/audit/events.ts';
import type { Store } from '../../store/store.ts';
import { type AuthorQuestion, chooseEvent, findDriftAuthors } from './find-author.ts';
import { TOLERANCE } from './match-events.ts';

type Told = readonly [id: string, action: string, origin?: EventView['origin'], at?: number];

/** Events from the newest to the oldest. */
function toEvents(told: readonly Told[]): EventView[] {
  return told.map(([id, action, origin = 'foreign', at = 50]) => {
    const event = { id, category: '', action, origin, at, createdAt: at, message: null };
    return { ...event, authorId: 1, username: null, address: null };
  });
}

const stories: {
  readonly why: string;
  readonly kind: AuthorQuestion['kind'];
  readonly told: readonly Told[];
  readonly want: string | undefined;
}[] = [
  {
    why: 'the newest that did it',
    kind: 'user.deactivated',
    told: [
      ['new', 'deactivate'],
      ['old', 'deactivate'],
    ],
    want: 'new',
  },
  {
    why: 'the one that did it before a newer one that may have',
    kind: 'user.deactivated',
    told: [
      ['vague', 'update_profile'],
      ['clear', 'deactivate'],
    ],
    want: 'clear',
  },
  {
    why: 'one that may be anything, where none is clearer',
    kind: 'user.renamed',
    told: [
      ['add', 'add_user'],
      ['vague', 'update_profile'],
    ],
    want: 'vague',
  },
  {
    why: 'nobody, where it was undone since',
    kind: 'member.added',
    told: [
      ['out', 'delete_user'],
      ['in', 'add_user'],
    ],
    want: undefined,
  },
  {
    why: 'who came after it was undone',
    kind: 'member.added',
    told: [
      ['vague', 'change_permissions'],
      ['out', 'delete_user'],
      ['in', 'add_user'],
    ],
    want: 'vague',
  },
  {
    why: 'nobody for what the bridge did itself',
    kind: 'user.deactivated',
    told: [['own', 'deactivate', 'ours']],
    want: undefined,
  },
  {
    why: 'nobody from before the bridge put it right',
    kind: 'user.access',
    told: [
      ['own', 'change_apps_permissions', 'ours'],
      ['theirs', 'change_apps_permissions'],
    ],
    want: undefined,
  },
  {
    why: 'nobody vague from before a vague one of our own',
    kind: 'user.renamed',
    told: [
      ['own', 'change_permissions', 'ours'],
      ['theirs', 'change_permissions'],
    ],
    want: undefined,
  },
  {
    why: 'nobody vague from before the last sweep that found no difference',
    kind: 'group.renamed',
    told: [['vague', 'change_permissions', 'foreign', 9]],
    want: undefined,
  },
  {
    why: 'nobody for a sign-in',
    kind: 'user.renamed',
    told: [['in', 'sign_in']],
    want: undefined,
  },
  {
    why: 'nobody vague for how an account came to be',
    kind: 'user.unmanaged',
    told: [
      ['vague', 'change_permissions'],
      ['active', 'activate'],
    ],
    want: undefined,
  },
];
for (const { why, kind, told, want } of stories) {
  test(`${kind} has as its author: ${why}`, () => {
    expect(chooseEvent(toEvents(told), { kind, vagueFrom: 10 })?.id).toBe(want);
  });
}

const NO_TEXT = { message: null, details: null, author_uid: null, explained_by: null };

async function addEvent(
  store: Store,
  event: Partial<AuditEventRow> & { id: string; at: number },
  about: readonly ['user' | 'group', string][],
) {
  const { at, ...change } = event;
  const userCount = about.filter(([type]) => type === 'user').length;
  await store.write(async (tx) => {
    const row = { category: 'x', action: 'add_user', origin: 'foreign' as const, ...NO_TEXT };
    const author = { author_id: 7, author_username: 'admin', author_address: '192.0.2.1' };
    await insertAuditEvents(tx, [
      { ...row, ...author, created_at: at + 5, seen_at: at, ...change },
    ]);
    await insertEventResources(
      tx,
      about.map(([type, id]) => ({
        event_id: event.id,
        resource_type: type,
        resource_id: id,
        at,
        user_count: userCount,
      })),
    );
  });
}

describeStores('the author of a difference', ({ makeStore }) => {
  const question = {
    kind: 'member.added',
    type: 'group',
    resourceId: 'pilots',
    memberId: 'bob',
    firstSeenAt: 100,
  } as const;

  test('of one person in a group is named together with both, or with the group alone', async () => {
    const store = await makeStore();
    const find = async (memberId: string) =>
      (await findDriftAuthors(store.read, [{ ...question, memberId }]))[0]?.eventId;
    await addEvent(store, { id: 'ada', at: 20 }, [
      ['group', 'pilots'],
      ['user', 'ada'],
    ]);
    await addEvent(store, { id: 'elsewhere', at: 30 }, [
      ['group', 'crew'],
      ['user', 'bob'],
    ]);
    const before = await find('bob');
    await addEvent(store, { id: 'alone', at: 10 }, [['group', 'pilots']]);

    expect(before).toBeUndefined();
    expect(await find('bob')).toBe('alone');
    expect(await find('ada')).toBe('ada');
  });

  test('is told with the time of the service, and looked for in a time of our own', async () => {
    const store = await makeStore();
    const tooLateAt = question.firstSeenAt + TOLERANCE.beforeMs + 1;
    await addEvent(store, { id: 'late', at: tooLateAt }, [['group', 'pilots']]);
    const [tooLate] = await findDriftAuthors(store.read, [question]);
    await addEvent(store, { id: 'one', at: 100, message: 'Added' }, [['group', 'pilots']]);

    expect(tooLate).toBeUndefined();
    expect((await findDriftAuthors(store.read, [question]))[0]).toEqual({
      eventId: 'one',
      at: 105,
      authorId: 7,
      username: 'admin',
      address: '192.0.2.1',
      operator: false,
      message: 'Added',
    });
  });

  test('is found behind any number of events about something else', async () => {
    const store = await makeStore();
    await addEvent(store, { id: 'first', at: 1, action: 'group_deactivate' }, [
      ['group', 'pilots'],
    ]);
    for (let at = 2; at <= 60; at += 1)
      await addEvent(store, { id: `join-${at}`, at }, [['group', 'pilots']]);
    const missing = { ...question, kind: 'group.missing', memberId: '' } as const;

    expect((await findDriftAuthors(store.read, [missing]))[0]?.eventId).toBe('first');
  });
});
