import type { JsonObject, JsonValue } from '../../../src/domain/json.ts';
import {
  type Account,
  addTeam,
  changeAccount,
  changeTeam,
  isSeatLeft,
  type OtherCompany,
  OWNER,
  seat,
  type Team,
  toName,
} from './company.ts';
import {
  type Answer,
  type Call,
  findPerson,
  findTeam,
  inOrder,
  nothing,
  refuse,
  toListAnswer,
} from './route.ts';
import { findTeamByName, noSeat, toObstacle } from './scim.ts';
import { toSingle } from './shape.ts';

/** GET /users/current. */
export function retrieveCurrentUser({ company }: Call): Answer {
  const owner = findPerson(company.now(), String(OWNER.id));
  if (company.shape.currentUser === 'absent' || !owner) return nothing(404);
  return { status: 200, body: { ...toUser(owner), role: 1, permissions: 1048567 } };
}

/** GET /company/users. `query` and pages work for the members section only. */
export function getListOfUsers(call: Call): Answer {
  const { company, query } = call;
  const isSection = query.get('for_members_section') === 'true';
  const sought = isSection ? (query.get('query') ?? '').toLowerCase() : '';
  const everybody = inOrder(company.listed().people, company.shape.order, toName);
  const found = everybody.filter(
    (each) =>
      (each.active || company.shape.listedInactive === 'shown') &&
      `${each.email} ${toName(each)}`.toLowerCase().includes(sought),
  );
  const list = found.map((each) => toMember(company, each));
  return isSection ? toPage(call, list) : toListAnswer(company.shape, list);
}

function toPage({ company, query }: Call, list: readonly JsonObject[]): Answer {
  const { offsets, pageMax, beyondEnd } = company.shape;
  const from = Number(query.get('offset') ?? 0);
  const count = Math.min(Number(query.get('limit') ?? pageMax.rest), pageMax.rest);
  const page = offsets === 'ignored' ? list : list.slice(from, from + count);
  if (from > 0 && page.length === 0 && beyondEnd === 'refused') {
    return refuse(400, 'offset is too large');
  }
  return toListAnswer(company.shape, page);
}

/** UB of the documents: what all answers say of a user. */
function toUser(account: Account): JsonObject {
  return {
    id: account.id,
    uid: account.uid,
    full_name: toName(account),
    email: account.email,
    username: account.userName,
    created: new Date(account.createdAt).toISOString(),
    updated: new Date(account.updatedAt).toISOString(),
    activated: account.active,
    virtual: account.virtual,
    email_blocked: null,
    delete_requested_at: null,
  };
}

function toMember({ shape }: OtherCompany, account: Account): JsonObject {
  const { owner, active, apps, suspended } = account;
  return {
    ...toUser(account),
    user_id: account.id,
    company_id: 77,
    role: owner ? 1 : active ? 2 : 3,
    permissions: 0,
    own_permissions: 0,
    groups: [],
    apps_permissions: shape.licences === 'texts' ? String(apps) : apps,
    temporarily_inactive: suspended,
    locked: null,
  };
}

/** PATCH /company/users/{id}. */
export function updateUser({ company, params, body }: Call): Answer {
  const account = findPerson(company.now(), params.user);
  if (!account) return nothing(company.shape.missing);
  const { apps_permissions: apps, temporarily_inactive: suspended } = body;
  const isLicence = typeof apps === 'number' && [0, 1, 2, 4, 5, 6].includes(apps);
  if (apps !== undefined && !isLicence) return refuse(400, 'there is no such licence');
  if (apps === undefined && typeof suspended !== 'boolean') return refuse(400, 'nothing to change');
  const change = {
    ...(isLicence ? { apps } : {}),
    ...(typeof suspended === 'boolean' ? { suspended } : {}),
  };
  if (!isSeatLeft(company, { ...account, ...change }, account)) return noSeat(company);
  changeAccount(company, OWNER, { id: account.id, change });
  const changed = toMember(company, { ...account, ...change });
  return { status: 200, body: toSingle(company.shape, changed) };
}

/** DELETE /company/users/{id}, for virtual users alone. */
export function removeVirtualUser({ company, params }: Call): Answer {
  const account = findPerson(company.now(), params.user);
  if (!account) return nothing(company.shape.missing);
  if (!account.virtual) return refuse(400, 'Should be virtual user');
  company.removeAccount(account.id, OWNER);
  return { status: 200, body: { id: account.id } };
}

function toGroup(team: Team): JsonObject {
  return {
    id: team.id,
    uid: team.uid,
    name: team.name,
    permissions: team.permissions,
    add_to_cards_and_spaces_enabled: team.open,
    created: new Date(team.createdAt).toISOString(),
    updated: new Date(team.updatedAt).toISOString(),
    condition: team.removed ? 2 : 1,
  };
}

/** POST /company/groups. */
export function createGroup({ company, body }: Call): Answer {
  const change = toTeamChange(body);
  if (change?.name === undefined) return refuse(400, "Group should have required property '.name'");
  if (company.shape.groupNames === 'unique' && findTeamByName(company, change.name)) {
    return refuse(409, 'the name is in use');
  }
  const team = addTeam(company, OWNER, { ...change, name: change.name });
  return { status: 200, body: toSingle(company.shape, toGroup(team)) };
}

function toTeamChange({ name, permissions, add_to_cards_and_spaces_enabled: open }: JsonObject) {
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.length > 512)) {
    return undefined;
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(typeof permissions === 'number' ? { permissions } : {}),
    ...(typeof open === 'boolean' ? { open } : {}),
  };
}

/** GET /company/groups: page by page where a page was asked for. */
export function getListOfGroups(call: Call): Answer {
  const { company, query } = call;
  const all = inOrder(company.listed().teams, company.shape.order, ({ name }) => name);
  const sought = query.get('query')?.toLowerCase() ?? '';
  const list = all.filter(({ name, removed }) => !removed && name.toLowerCase().includes(sought));
  const shown = list.map(toGroup);
  const isPaged = query.has('limit') || query.has('offset');
  return isPaged ? toPage(call, shown) : toListAnswer(company.shape, shown);
}

/** GET /company/groups/{uid}. */
export function getGroup({ company, params }: Call): Answer {
  const team = findTeam(company.now(), params.group, 'uid');
  const isShown = team && (!team.removed || company.shape.removedGroups === 'found by id');
  if (!isShown) return nothing(company.shape.missing);
  return { status: 200, body: toSingle(company.shape, toGroup(team)) };
}

/** PATCH /company/groups/{uid}. */
export function updateGroup({ company, params, body }: Call): Answer {
  const team = findLiving(company, params.group);
  if (!team) return nothing(company.shape.missing);
  const change = toTeamChange(body);
  if (!change) return refuse(400, 'the name is too long');
  const same = change.name === undefined ? undefined : findTeamByName(company, change.name);
  if (company.shape.groupNames === 'unique' && same && same.id !== team.id) {
    return refuse(409, 'the name is in use');
  }
  changeTeam(company, OWNER, { id: team.id, change });
  const changed = toGroup(findLiving(company, params.group) ?? team);
  return { status: 200, body: toSingle(company.shape, changed) };
}

function findLiving(company: OtherCompany, uid: string | undefined): Team | undefined {
  const team = findTeam(company.now(), uid, 'uid');
  return team?.removed ? undefined : team;
}

/** DELETE /company/groups/{uid}. */
export function removeGroup({ company, params }: Call): Answer {
  const team = findLiving(company, params.group);
  if (!team) return nothing(company.shape.missing);
  changeTeam(company, OWNER, { id: team.id, change: { removed: true } });
  return { status: 200, body: toGroup(team) };
}

type List = 'members' | 'admins';

/** GET of who is in a list of a group. */
export function listPeople(list: List) {
  return ({ company, params }: Call): Answer => {
    const team = findLiving(company, params.group);
    if (!team) return nothing(company.shape.missing);
    const { people } = company.now();
    const body = team[list].flatMap((id): JsonValue[] => {
      const account = people.get(id);
      return account ? [toUser(account)] : [];
    });
    return toListAnswer(company.shape, body);
  };
}

/** POST of one more person into a list of a group. */
export function addPerson(list: List) {
  return ({ company, params, body: { user_id: id } }: Call): Answer => {
    if (typeof id !== 'number') return refuse(400, "should have required property '.user_id'");
    return move(company, { list, team: params.group, person: id, there: true });
  };
}

/** DELETE of a person from a list of a group. */
export function removePerson(list: List) {
  return ({ company, params }: Call): Answer =>
    move(company, { list, team: params.group, person: Number(params.user), there: false });
}

interface Move {
  readonly list: List;
  readonly team: string | undefined;
  readonly person: number;
  readonly there: boolean;
}

function move(company: OtherCompany, { list, team: uid, person: id, there }: Move): Answer {
  const team = findLiving(company, uid);
  const person = company.now().people.get(id);
  if (!team || (!person && !there)) return nothing(company.shape.missing);
  const obstacle = toObstacle(company, { person, there });
  if (obstacle) return obstacle;
  const isDone = seat(company, OWNER, { list, team: team.id, person: id, there });
  if (isDone || company.shape.repeated === 'fine') {
    return person ? { status: 200, body: toUser(person) } : nothing(200);
  }
  if (company.shape.repeated === 'invalid') return refuse(400, 'nothing to change');
  return there ? refuse(409, 'is there already') : nothing(404);
}
