import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json.ts';
import {
  type Account,
  addAccount,
  addTeam,
  changeAccount,
  changeTeam,
  isSeatLeft,
  letIn,
  type OtherCompany,
  OWNER,
  seat,
  type Team,
  toName,
} from './company.ts';
import { type Answer, type Call, findPerson, findTeam, inOrder, nothing, refuse } from './route.ts';
import { type OtherShape, spell } from './shape.ts';

const SCIM = 'urn:ietf:params:scim:schemas:core:2.0';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const PLAIN_WORD = /^[0-9a-zA-Zа-яА-Я_]{1,128}$/;

/** POST /scim/v2/Users. */
export function addUser({ company, body }: Call): Answer {
  const { shape } = company;
  const email = toEmail(body.emails, shape.emails);
  if (email === undefined && shape.emails === 'nothing but objects') return nothing(500);
  if (email === undefined || !isUserName(company, body.userName)) return nothing(400);
  const name = isJsonObject(body.name) ? toKept(company, rename(undefined, body.name)) : {};
  const known = [...company.now().people.values()];
  const same = known.find((each) => each.email.toLowerCase() === email.toLowerCase());
  if (same?.active || (same && shape.returning === 'refused')) return nothing(409);
  if (!isSeatLeft(company, { active: true, suspended: false, apps: 1 })) return noSeat(company);
  if (same) {
    letIn(company, OWNER, { id: same.id, active: true });
    changeAccount(company, OWNER, { id: same.id, change: name });
    return show(company, same.id, 201);
  }
  const { id } = addAccount(company, OWNER, {
    email,
    full: email.split('@')[0] ?? email,
    ...toUserName(company, body.userName),
    ...name,
  });
  return show(company, id, 201);
}

/** Answer that no seat is left. */
export function noSeat({ shape }: OtherCompany): Answer {
  if (shape.noSeat === 402) return refuse(402, 'not in your plan');
  return refuse(409, 'Your plan: the USER LIMIT is reached');
}

function isUserName({ shape }: OtherCompany, userName: JsonValue | undefined): boolean {
  if (userName === undefined) return true;
  if (typeof userName !== 'string' || userName.length > 128) return false;
  return shape.userNames !== 'refused' || PLAIN_WORD.test(userName);
}

function toUserName({ shape }: OtherCompany, userName: JsonValue | undefined) {
  return shape.userNames === 'kept' && typeof userName === 'string' ? { userName } : {};
}

function toEmail(emails: JsonValue | undefined, form: OtherShape['emails']) {
  const [first] = Array.isArray(emails) ? emails : [];
  const text = isJsonObject(first) ? first.value : first;
  const isRight = form === 'either' || (form === 'texts') === (typeof first === 'string');
  return isRight && typeof text === 'string' && text.includes('@') ? text : undefined;
}

type Parts = readonly [given: string, family: string];

function rename(before: Parts | undefined, name: JsonObject): Parts {
  const text = (value: JsonValue | undefined, old = '') =>
    typeof value === 'string' ? value : old;
  return [text(name.givenName, before?.[0]), text(name.familyName, before?.[1])];
}

function toKept(company: OtherCompany, [given, family]: Parts): Pick<Account, 'full' | 'parts'> {
  const parts = [spell(company.shape, given), spell(company.shape, family)] as const;
  const shown = company.shape.names === 'family first' ? parts.toReversed() : parts;
  const full = shown.join(' ').trim();
  return { full, parts: company.shape.names === 'parts' ? parts : undefined };
}

function toParts(account: Account, { names }: OtherCompany['shape']): Parts {
  if (account.parts) return account.parts;
  const words = account.full.split(' ');
  if (names === 'one' || names === 'family first' || words.length === 1) return [account.full, ''];
  const cut = names === 'last word' ? words.length - 1 : 1;
  return [words.slice(0, cut).join(' '), words.slice(cut).join(' ')];
}

/** GET /scim/v2/Users/{user_id}. */
export function getUser({ company, params }: Call): Answer {
  const account = findPerson(company.now(), params.user);
  if (!account) return nothing(company.shape.missing);
  return { status: 200, body: { ...toUser(company, account), groups: toGroups(company, account) } };
}

function toGroups(company: OtherCompany, { id }: Account): JsonObject[] {
  const teams = [...company.now().teams.values()].filter((team) => team.members.includes(id));
  return teams.map((team) => ({ value: team.id, display: team.name, $ref: `Groups/${team.id}` }));
}

function show(company: OtherCompany, id: number, status: number): Answer {
  const account = company.now().people.get(id);
  return account ? { status, body: toUser(company, account) } : nothing(500);
}

function toUser({ shape }: OtherCompany, account: Account): JsonObject {
  const [givenName, familyName] = toParts(account, shape);
  return {
    schemas: [`${SCIM}:User`],
    id: shape.userIds === 'texts' ? String(account.id) : account.id,
    userName: account.userName,
    name: { givenName, familyName },
    active: account.active,
    emails: [{ value: account.email, type: 'work', primary: true }],
    meta: toMeta('User', account),
  };
}

function toMeta(resourceType: string, { id, createdAt, updatedAt }: Account | Team): JsonObject {
  return {
    resourceType,
    created: new Date(createdAt).toISOString(),
    lastModified: new Date(updatedAt).toISOString(),
    location: `/scim/v2/${resourceType}s/${id}`,
  };
}

/** GET /scim/v2/Users. */
export function getUsers(call: Call): Answer {
  const { company, query } = call;
  const { shape } = company;
  const everybody = inOrder(company.listed().people, shape.order, toName);
  const shown = everybody.filter(({ active }) => active || shape.listedInactive === 'shown');
  const filter = query.get('filter');
  const page = (list: readonly Account[]) =>
    toList(call, { list: list.map((each) => toUser(company, each)), left: everybody.length });
  if (filter === null || shape.filter === 'ignored') return page(shown);
  const [, attribute, wanted] = /^(\w+(?:\.value)?) eq "(.*)"$/i.exec(filter) ?? [];
  if (shape.filter === 'refused' || attribute === undefined) return nothing(400);
  const fold = (text: string) => (shape.filter === 'any case' ? text.toLowerCase() : text);
  const toValue = ({ userName, email }: Account) =>
    attribute.toLowerCase() === 'username' ? userName : email;
  return page(shown.filter((each) => fold(toValue(each)) === fold(wanted ?? '')));
}

function toList(
  { company, query }: Call,
  { list, left }: { list: readonly JsonObject[]; left: number },
): Answer {
  const { offsets, pageMax, beyondEnd, totals } = company.shape;
  const from = Math.max(1, Number(query.get('startIndex') ?? 1));
  const count = Math.min(Number(query.get('count') ?? pageMax.scim), pageMax.scim);
  const page = offsets === 'ignored' ? list : list.slice(from - 1, from - 1 + count);
  if (from > 1 && page.length === 0 && beyondEnd === 'refused') return nothing(400);
  const total = { absent: undefined, right: list.length, page: page.length, 'too many': left };
  return {
    status: 200,
    body: {
      schemas: [LIST],
      ...(totals === 'absent' ? {} : { totalResults: total[totals] ?? 0 }),
      itemsPerPage: page.length,
      startIndex: from,
      Resources: [...page],
    },
  };
}

/** PATCH /scim/v2/Users/{user_id}; all of it or nothing. */
export function updateUser({ company, params, body }: Call): Answer {
  const account = findPerson(company.now(), params.user);
  if (!account) return nothing(company.shape.missing);
  let wanted: Account = account;
  for (const operation of toOperations(body)) {
    const next = applyToUser(company, wanted, operation);
    if (next === undefined) return nothing(400);
    wanted = next;
  }
  if (account.owner && !wanted.active) return nothing(409);
  if (!isSeatLeft(company, wanted, account)) return noSeat(company);
  const { id } = account;
  const before = { ...toUser(company, account), groups: toGroups(company, account) };
  const { active, full, parts, userName, email } = wanted;
  changeAccount(company, OWNER, { id, change: { full, parts, userName, email } });
  letIn(company, OWNER, { id, active });
  return toPatched(
    company,
    before,
    getUser({ company, params, body, query: new URLSearchParams() }),
  );
}

function toOperations({ Operations }: JsonObject): JsonObject[] {
  return Array.isArray(Operations) ? Operations.filter(isJsonObject) : [];
}

function applyToUser(company: OtherCompany, account: Account, { op, path, value }: JsonObject) {
  const before = toParts(account, company.shape);
  const renamed = (name: JsonObject) => ({ ...account, ...toKept(company, rename(before, name)) });
  switch (path) {
    case 'active':
      if (op !== 'replace' || typeof value !== 'boolean') return undefined;
      return company.shape.repeated === 'invalid' && account.active === value
        ? undefined
        : { ...account, active: value };
    case 'name':
      return isJsonObject(value) ? renamed(value) : undefined;
    case 'name.givenName':
      return renamed({ givenName: value ?? '' });
    case 'name.familyName':
      return renamed({ familyName: value ?? '' });
    case 'userName':
      return typeof value === 'string' ? move(company, account, { userName: value }) : undefined;
    case 'emails': {
      const email = toEmail(value, 'either');
      return email === undefined ? undefined : move(company, account, { email });
    }
    default:
      return undefined;
  }
}

/** Another address, as far as the shape has any. */
function move({ shape }: OtherCompany, account: Account, change: Partial<Account>) {
  if (shape.addressUpdates === 'refused') return undefined;
  return shape.addressUpdates === 'ignored' ? account : { ...account, ...change };
}

function toPatched({ shape }: OtherCompany, before: JsonObject, after: Answer): Answer {
  if (shape.patchAnswers === '204') return nothing(204);
  return shape.patchAnswers === 'old' ? { status: 200, body: before } : after;
}

/** POST /scim/v2/Groups. */
export function addGroup({ company, body: { displayName } }: Call): Answer {
  if (typeof displayName !== 'string' || displayName === '' || displayName.length > 128) {
    return nothing(400);
  }
  if (findTeamByName(company, displayName)) return nothing(409);
  const { members: _, ...body } = toGroup(company, addTeam(company, OWNER, { name: displayName }));
  return { status: 200, body };
}

/** The group of this name, which SCIM never allows twice. */
export function findTeamByName(company: OtherCompany, name: string): Team | undefined {
  const kept = spell(company.shape, name);
  return [...company.now().teams.values()].find((team) => !team.removed && team.name === kept);
}

function toGroup(company: OtherCompany, team: Team): JsonObject {
  const { people } = company.now();
  const members = team.members.map((id) => {
    const account = people.get(id);
    return { value: id, $ref: `Users/${id}`, display: account ? toName(account) : '' };
  });
  return {
    schemas: [`${SCIM}:Group`],
    id: company.shape.groupIds === 'uid' ? team.uid : String(team.id),
    displayName: team.name,
    meta: toMeta('Group', team),
    members,
  };
}

/** GET /scim/v2/Groups/{group_id}. */
export function getGroup({ company, params }: Call): Answer {
  const team = findTeam(company.now(), params.group, company.shape.groupIds);
  if (!team || team.removed) return nothing(company.shape.missing);
  return { status: 200, body: toGroup(company, team) };
}

/** GET /scim/v2/Groups. */
export function getGroups(call: Call): Answer {
  const { company } = call;
  const { order, listedMembers } = company.shape;
  const all = inOrder(company.listed().teams, order, ({ name }) => name);
  const list = all.filter(({ removed }) => !removed).map((team) => toGroup(company, team));
  const short = list.map(({ members: _, ...group }) => group);
  return toList(call, { list: listedMembers === 'shown' ? list : short, left: all.length });
}

/** PATCH /scim/v2/Groups/{group_id}; all of it or nothing. */
export function updateGroup(call: Call): Answer {
  const { company, params, body } = call;
  const team = findTeam(company.now(), params.group, company.shape.groupIds);
  if (!team || team.removed) return nothing(company.shape.missing);
  const operations = toOperations(body);
  const changes = operations.map((operation) => toMemberChange(company, operation));
  const names = operations.filter(({ path }) => path === 'displayName');
  if (operations.length === 0 || changes.includes(undefined)) return nothing(400);
  const seats = changes.flatMap((change) => change ?? []);
  const isMany = seats.length > 1;
  if (isMany && company.shape.batches === 'refused') return nothing(400);
  if (isMany && company.shape.batches === 'lists' && operations.length > 1) return nothing(400);
  const before = toGroup(company, team);
  const { people } = company.now();
  for (const { person, there } of seats) {
    const problem = toObstacle(company, { person: people.get(person), there });
    if (problem) return problem;
  }
  for (const each of seats) seat(company, OWNER, { ...each, list: 'members', team: team.id });
  const name = names.at(-1)?.value;
  if (typeof name === 'string') changeTeam(company, OWNER, { id: team.id, change: { name } });
  return toPatched(company, before, getGroup(call));
}

/** Why somebody cannot be a member. */
export function toObstacle(
  { shape }: OtherCompany,
  { person, there }: { person: Account | undefined; there: boolean },
): Answer | undefined {
  if (!person) return refuse(400, 'there is no such user');
  const isBarred = there && !person.active && shape.inactiveMembers === 'refused';
  return isBarred ? refuse(400, 'the user is not active') : undefined;
}

function toMemberChange(company: OtherCompany, { op, path, value }: JsonObject) {
  if (path === 'displayName') {
    return typeof value === 'string' && op !== 'remove' ? [] : undefined;
  }
  if (path !== 'members' || (op !== 'add' && op !== 'remove')) return undefined;
  const isList = Array.isArray(value);
  if (isList !== (company.shape.batches === 'lists')) return undefined;
  const ids = (isList ? value : [value]).map((each) =>
    Number(isJsonObject(each) ? each.value : each),
  );
  if (ids.some(Number.isNaN)) return undefined;
  return ids.map((person) => ({ person, there: op === 'add' }));
}
