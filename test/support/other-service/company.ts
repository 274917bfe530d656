import { randomUUID } from 'node:crypto';
import { type OtherShape, spell } from './shape.ts';

/** An account; `full` is how names are kept unless the shape keeps their parts. */
export interface Account {
  readonly id: number;
  readonly uid: string;
  readonly userName: string;
  readonly email: string;
  readonly full: string;
  readonly parts: readonly [given: string, family: string] | undefined;
  readonly active: boolean;
  readonly owner: boolean;
  readonly virtual: boolean;
  readonly apps: number;
  readonly suspended: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A group, with the ids of who is in it. */
export interface Team {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly permissions: number;
  readonly open: boolean;
  readonly members: readonly number[];
  readonly admins: readonly number[];
  readonly removed: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Everything at one time. It is never changed, only replaced. */
export interface State {
  readonly people: ReadonlyMap<number, Account>;
  readonly teams: ReadonlyMap<number, Team>;
}

/** Who does something, and from where. */
export interface Author {
  readonly id: number;
  readonly address: string;
}

/** What can be done, in words of our own. */
export type Deed =
  | 'join company'
  | 'rename person'
  | 'activate'
  | 'deactivate'
  | 'license'
  | 'leave company'
  | 'found group'
  | 'rename group'
  | 'empower group'
  | 'dissolve group'
  | 'join group'
  | 'leave group'
  | 'promote'
  | 'demote';

/** A line of the audit log. */
export interface Deeds {
  readonly id: string;
  readonly at: number;
  readonly author: Author;
  readonly deed: Deed;
  readonly person: Account | undefined;
  readonly team: Team | undefined;
}

/** To whom, and in which group. */
export interface About {
  readonly person?: number | undefined;
  readonly team?: number | undefined;
}

/** The state of a service, its past, and its audit log. */
export interface OtherCompany {
  readonly shape: OtherShape;
  now(): State;
  /** As lists show it, which may be late. */
  listed(): State;
  /** Every event, oldest first. */
  readonly log: readonly Deeds[];
  readonly clock: () => number;
  nextId(): number;
  putAccount(account: Account): Account;
  putTeam(team: Team): Team;
  removeAccount(id: number, author: Author): void;
  write(deed: Deed, author: Author, about: About): void;
}

/** The owner of the company, whose token the bridge has. */
export const OWNER: Author = { id: 1, address: '203.0.113.5' };

/** A company of its owner alone. */
export function foundCompany(shape: OtherShape, clock: () => number): OtherCompany {
  let state: State = { people: new Map(), teams: new Map() };
  let past: { until: number; state: State }[] = [];
  let lastId = 0;
  const log: Deeds[] = [];
  const replace = (next: State) => {
    const since = clock() - shape.listsLateMs;
    past = shape.listsLateMs === 0 ? [] : past.filter(({ until }) => until > since);
    if (shape.listsLateMs > 0) past.push({ until: clock(), state });
    state = next;
  };
  const company: OtherCompany = {
    shape,
    clock,
    log,
    now: () => state,
    listed: () => past.find(({ until }) => until > clock() - shape.listsLateMs)?.state ?? state,
    nextId: () => ++lastId,
    putAccount(account) {
      replace({ ...state, people: new Map(state.people).set(account.id, account) });
      return account;
    },
    putTeam(team) {
      replace({ ...state, teams: new Map(state.teams).set(team.id, team) });
      return team;
    },
    removeAccount(id, author) {
      const people = new Map(state.people);
      company.write('leave company', author, { person: id });
      people.delete(id);
      replace({ ...state, people });
    },
    write(deed, author, { person, team }) {
      log.push({
        id: randomUUID(),
        at: clock(),
        author,
        deed,
        person: person === undefined ? undefined : state.people.get(person),
        team: team === undefined ? undefined : state.teams.get(team),
      });
    },
  };
  const owner = addAccount(company, OWNER, { email: 'owner@example.com', full: 'The Owner' });
  company.putAccount({ ...owner, owner: true });
  return company;
}

/** An account for somebody new. */
export function addAccount(
  company: OtherCompany,
  author: Author,
  { email, full, ...rest }: Pick<Account, 'email' | 'full'> & Partial<Account>,
): Account {
  const at = company.clock();
  const lowered = company.shape.addresses === 'lowered';
  const account = company.putAccount({
    id: company.nextId(),
    uid: randomUUID(),
    email: lowered ? email.toLowerCase() : email,
    full,
    parts: undefined,
    userName: toPlainWord(email),
    active: true,
    owner: false,
    virtual: false,
    apps: 1,
    suspended: false,
    createdAt: at,
    updatedAt: at,
    ...rest,
  });
  company.write('join company', author, { person: account.id });
  return account;
}

/** Facts that decide if somebody takes a seat. */
type Seated = Pick<Account, 'active' | 'suspended' | 'apps'>;

/** False where these people take all seats and this person would take one more. */
export function isSeatLeft({ shape, now }: OtherCompany, after: Seated, before?: Seated): boolean {
  const takes = ({ active, suspended, apps }: Seated) => active && !suspended && apps !== 0;
  if (shape.seats === 0 || !takes(after) || (before !== undefined && takes(before))) return true;
  return [...now().people.values()].filter(takes).length < shape.seats;
}

/** Lets somebody in or locks them out; what is so already is no event. */
export function letIn(
  company: OtherCompany,
  author: Author,
  { id, active }: { id: number; active: boolean },
): void {
  const account = company.now().people.get(id);
  if (account === undefined || account.active === active) return;
  company.putAccount({ ...account, active, updatedAt: company.clock() });
  company.write(active ? 'activate' : 'deactivate', author, { person: id });
  if (active || company.shape.deactivation === 'keeps groups') return;
  for (const team of company.now().teams.values()) {
    if (!team.members.includes(id) && !team.admins.includes(id)) continue;
    company.putTeam({ ...team, ...without(team, id) });
  }
}

function without({ members, admins }: Team, id: number): Pick<Team, 'members' | 'admins'> {
  const others = (list: readonly number[]) => list.filter((each) => each !== id);
  return { members: others(members), admins: others(admins) };
}

/** Gives somebody other values; the same ones are no event. */
export function changeAccount(
  company: OtherCompany,
  author: Author,
  { id, change }: { id: number; change: Partial<Account> },
): void {
  const before = company.now().people.get(id);
  if (before === undefined) return;
  const after = company.putAccount({ ...before, ...change, updatedAt: company.clock() });
  const about = { person: id };
  if (toName(after) !== toName(before)) company.write('rename person', author, about);
  const isOther = after.apps !== before.apps || after.suspended !== before.suspended;
  if (isOther) company.write('license', author, about);
}

/** A group of this name; who may be in it by that alone is the shape's. */
export function addTeam(
  company: OtherCompany,
  author: Author,
  { name, ...rest }: Pick<Team, 'name'> & Partial<Team>,
): Team {
  const { creator } = company.shape;
  const at = company.clock();
  const team = company.putTeam({
    id: company.nextId(),
    uid: randomUUID(),
    name: spell(company.shape, name),
    permissions: 0,
    open: false,
    members: creator === 'member' ? [author.id] : [],
    admins: creator === 'admin' ? [author.id] : [],
    removed: false,
    createdAt: at,
    updatedAt: at,
    ...rest,
  });
  company.write('found group', author, { team: team.id });
  return team;
}

/** Gives a group other values; the same ones are no event. */
export function changeTeam(
  company: OtherCompany,
  author: Author,
  { id, change }: { id: number; change: Partial<Team> },
): void {
  const before = company.now().teams.get(id);
  if (before === undefined) return;
  const name = spell(company.shape, change.name ?? before.name);
  const after = company.putTeam({ ...before, ...change, name, updatedAt: company.clock() });
  const about = { team: id };
  if (after.name !== before.name) company.write('rename group', author, about);
  if (after.permissions !== before.permissions) company.write('empower group', author, about);
  if (after.removed && !before.removed) company.write('dissolve group', author, about);
}

/** One person in a list of a group. */
export interface Seat {
  readonly list: 'members' | 'admins';
  readonly team: number;
  readonly person: number;
  readonly there: boolean;
}

/** Puts somebody into a list of a group or takes them out. @returns false when it was so already */
export function seat(
  company: OtherCompany,
  author: Author,
  { list, team: id, person, there }: Seat,
): boolean {
  const team = company.now().teams.get(id);
  if (team === undefined || team[list].includes(person) === there) return false;
  const people = there ? [...team[list], person] : team[list].filter((each) => each !== person);
  company.putTeam({ ...team, [list]: people, updatedAt: company.clock() });
  const deeds =
    list === 'members'
      ? (['join group', 'leave group'] as const)
      : (['promote', 'demote'] as const);
  company.write(deeds[there ? 0 : 1], author, { person, team: id });
  return true;
}

/** The name as one text. */
export function toName({ full, parts }: Pick<Account, 'full' | 'parts'>): string {
  return parts === undefined ? full : parts.join(' ').trim();
}

/** The documents allow letters, digits and `_` in a username. */
function toPlainWord(text: string): string {
  return text.replaceAll(/[^0-9a-zA-Zа-яА-Я_]/g, '_');
}
