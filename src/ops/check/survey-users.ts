import { scim } from '../../upstream/operations/scim.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type ListSample, sampleList } from './list-sample.ts';
import { findSeen, type Look, look, skipped } from './look.ts';

/** Answers of SCIM about users. */
export interface UserSurvey {
  readonly list: Look<ListSample<ScimUser>>;
  /** The first of them, alone. */
  readonly one: Look<ScimUser>;
  readonly filter: FilterSurvey;
  /** A user with an impossible id: only the refusal is of interest. */
  readonly missing: Look<unknown>;
}

/** Answers of the list of users to a filter. */
export interface FilterSurvey {
  /** The userName of a user in the list; undefined when there is none. */
  readonly userName: string | undefined;
  /** The userNames found for that one. */
  readonly known: Look<readonly (string | undefined)[]>;
  /** The userNames found for an impossible one. */
  readonly nonsense: Look<readonly (string | undefined)[]>;
}

/** The highest id that common databases hold: well-formed, and never given. */
const impossibleId = 2_147_483_647;
/** A name below `.invalid`, where no domain can be (RFC 2606 §2). */
const impossibleName = 'nobody@scim-bridge.invalid';
const reading = { class: 'look' } as const;

const nothing = skipped('not asked');

/** The survey before any call. */
export const unseenUsers: UserSurvey = {
  list: nothing,
  one: nothing,
  filter: { userName: undefined, known: nothing, nonsense: nothing },
  missing: nothing,
};

/** Looks at users through SCIM; without a list there is nothing more to look at. */
export async function surveyUsers(transport: Transport): Promise<UserSurvey> {
  const list = await sampleList({
    fetch: ({ offset, limit }) =>
      transport.call(scim.getUsers, { query: { startIndex: offset + 1, count: limit } }, reading),
    toPage: parseScimList,
    parse: parseScimUser,
  });
  if (list.kind !== 'seen') return { ...unseenUsers, list };
  const [first] = list.value.items;
  const readOne = (id: number) =>
    look(async () =>
      parseScimUser(await transport.call(scim.getUser, { path: { user_id: id } }, reading)),
    );
  return {
    list,
    one: first ? await readOne(first.id) : skipped('there is nobody'),
    filter: await surveyFilter(transport, list),
    missing: await readOne(impossibleId),
  };
}

async function surveyFilter(
  transport: Transport,
  list: Look<ListSample<ScimUser>>,
): Promise<FilterSurvey> {
  const userName = findSeen(list)?.items.find((user) => user.userName)?.userName;
  const ask = (name: string) =>
    look(async () => {
      const query = { startIndex: 1, count: 10, filter: `userName eq ${JSON.stringify(name)}` };
      const body = await transport.call(scim.getUsers, { query }, reading);
      return parseScimList(body).items.map((item) => parseScimUser(item).userName);
    });
  return {
    userName,
    known: userName === undefined ? skipped('nobody has a userName') : await ask(userName),
    nonsense: await ask(impossibleName),
  };
}
