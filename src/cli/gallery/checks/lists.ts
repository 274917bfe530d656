import {
  type Answer,
  assertAt,
  assertFilled,
  assertList,
  assertStatus,
  CheckFailed,
  CheckSkipped,
  fail,
  findAt,
  listAt,
} from '../answer.ts';
import { PEOPLE, type Stage } from '../stage.ts';
import type { Check } from './check.ts';

/** Requests a second that a provider has to be able to send. */
const RATE = 25;
/** A machine may be busy: the fastest of so many counts. */
const TRIES = 3;
/** Resources of a page, so few that the people and groups of a run fill two. */
const PAGE = 2;
const PAGED = ['crew', 'gone', 'spare'] as const;

/** Checks of pages and of the rate. */
export const lists = {
  userPages: {
    id: 'user-pages',
    title: 'Users come in pages that follow on each other',
    async run(stage) {
      for (const person of PEOPLE) await stage.idOf(person);
      await assertPages(stage, 'Users');
    },
  },
  groupPages: {
    id: 'group-pages',
    title: 'Groups come in pages that follow on each other',
    async run(stage) {
      for (const group of PAGED) await stage.groupIdOf(group);
      await assertPages(stage, 'Groups');
    },
  },
  cursorPages: {
    id: 'cursor-pages',
    title: 'Users come in pages with a cursor',
    async run(stage) {
      for (const person of PEOPLE) await stage.idOf(person);
      const first = await stage.send('GET', `/Users?cursor=&count=${PAGE}`);
      assertStatus(first, 200);
      assertFilled(first, 'nextCursor');
      const cursor = encodeURIComponent(String(findAt(first.body, 'nextCursor')));
      assertFollows(first, await stage.send('GET', `/Users?cursor=${cursor}&count=${PAGE}`));
    },
  },
  rate: {
    id: 'requests-per-second',
    title: `${RATE} requests a second are answered`,
    async run(stage) {
      const path = `/Users/${await stage.idOf('ada')}`;
      let fastest = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && fastest > 1_000; tries += 1) {
        const startedAt = performance.now();
        const answers = await Promise.all(
          Array.from({ length: RATE }, () => stage.send('GET', path)),
        );
        fastest = Math.min(fastest, Math.round(performance.now() - startedAt));
        for (const answer of answers) assertStatus(answer, 200);
        answers.at(-1)?.parts.push(`${RATE} answers within ${fastest} ms`);
      }
      if (fastest <= 1_000) return;
      throw new CheckFailed(`${RATE} requests at once took ${fastest} ms; wanted is a second`);
    },
  },
  limits: {
    id: 'rate-limits',
    title: 'Who asks too often is answered 429 with Retry-After',
    async run() {
      const why =
        'to show it, so much would be sent that the provider itself would wait; docs/limits.md says what the limits are';
      throw new CheckSkipped(why);
    },
  },
} as const satisfies Record<string, Check>;

/** Asserts that the first two pages of everybody follow on each other. */
async function assertPages({ send }: Stage, type: 'Users' | 'Groups'): Promise<void> {
  const [first, second] = [
    await send('GET', `/${type}?startIndex=1&count=${PAGE}`),
    await send('GET', `/${type}?startIndex=${PAGE + 1}&count=${PAGE}`),
  ];
  assertList(first);
  assertAt(first, 'startIndex', 1);
  assertAt(first, 'itemsPerPage', PAGE);
  assertFollows(first, second);
  assertAt(second, 'startIndex', PAGE + 1);
}

/** Asserts that a page has somebody, and nobody of the page before. */
function assertFollows(before: Answer, answer: Answer): void {
  assertStatus(answer, 200);
  assertFilled(answer, 'Resources/0/id');
  const [known, ids] = [before, answer].map((page) =>
    listAt(page, 'Resources').map((entry) => findAt(entry, 'id')),
  );
  if (ids?.some((id) => known?.includes(id))) fail(answer, 'has somebody of the page before');
  answer.parts.push('nobody of the page before');
}
