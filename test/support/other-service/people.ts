import type { CounterpartGroup, CounterpartService, CounterpartUser } from '../counterpart.ts';
import {
  type Account,
  type Author,
  addAccount,
  addTeam,
  changeAccount,
  changeTeam,
  letIn,
  type OtherCompany,
  seat,
  type Team,
  toName,
} from './company.ts';

type Key = string | number;

/** What this person does in the service, past the interface that the bridge uses. */
export function actAs(company: OtherCompany, author: Author): CounterpartService {
  return { ...readAs(company), ...changePeople(company, author), ...changeTeams(company, author) };
}

type Reading = 'users' | 'groups' | 'getUser' | 'members' | 'admins' | 'auditEvents';

function readAs(company: OtherCompany): Pick<CounterpartService, Reading> {
  const list = (which: 'members' | 'admins') => (group: Key) =>
    getTeam(company, group)
      [which].map((id) => getAccount(company, id).email)
      .toSorted();
  return {
    users: () => [...company.now().people.values()].map(toShownUser),
    groups: () =>
      [...company.now().teams.values()].filter(({ removed }) => !removed).map(toShownGroup),
    getUser: (user) => toShownUser(getAccount(company, user)),
    members: list('members'),
    admins: list('admins'),
    auditEvents: () => company.log,
  };
}

type OfPeople = 'addUser' | 'setActive' | 'renameUser' | 'updateUser' | 'removeUser' | 'as';

function changePeople(company: OtherCompany, author: Author): Pick<CounterpartService, OfPeople> {
  const toId = (user: Key) => getAccount(company, user).id;
  return {
    addUser({ email, fullName = email, ...rest }) {
      return toShownUser(addAccount(company, author, { email, full: fullName, ...rest }));
    },
    setActive: (user, active) => letIn(company, author, { id: toId(user), active }),
    renameUser(user, full) {
      const [given = '', ...others] = full.split(' ');
      const parts =
        company.shape.names === 'parts' ? ([given, others.join(' ')] as const) : undefined;
      changeAccount(company, author, { id: toId(user), change: { full, parts } });
    },
    updateUser: (user, { appsPermissions: apps }) =>
      changeAccount(company, author, { id: toId(user), change: { apps } }),
    removeUser: (user) => company.removeAccount(toId(user), author),
    as: (other, address = author.address) => actAs(company, { id: toId(other), address }),
  };
}

type OfTeams = Exclude<keyof CounterpartService, Reading | OfPeople>;

function changeTeams(company: OtherCompany, author: Author): Pick<CounterpartService, OfTeams> {
  const change = (group: Key, values: Partial<Team>) =>
    changeTeam(company, author, { id: getTeam(company, group).id, change: values });
  const move = (list: 'members' | 'admins', there: boolean) => (group: Key, user: Key) =>
    seat(company, author, {
      list,
      there,
      team: getTeam(company, group).id,
      person: getAccount(company, user).id,
    });
  return {
    createGroup: ({ name }) => toShownGroup(addTeam(company, author, { name })),
    renameGroup: (group, name) => change(group, { name }),
    setPermissions: (group, permissions) => change(group, { permissions }),
    deleteGroup: (group) => change(group, { removed: true }),
    addMember: move('members', true),
    removeMember: move('members', false),
    addAdmin: move('admins', true),
    removeAdmin: move('admins', false),
  };
}

function getAccount(company: OtherCompany, key: Key): Account {
  const { people } = company.now();
  const account =
    typeof key === 'number'
      ? people.get(key)
      : [...people.values()].find(({ email }) => email === key);
  if (account === undefined) throw new Error(`there is no user ${key}`);
  return account;
}

function getTeam(company: OtherCompany, key: Key): Team {
  const { teams } = company.now();
  const team = [...teams.values()].find(
    ({ id, name, removed }) => id === key || (name === key && !removed),
  );
  if (team === undefined) throw new Error(`there is no group ${key}`);
  return team;
}

function toShownUser(account: Account): CounterpartUser {
  const { id, uid, userName, email, active, owner } = account;
  return { id, uid, userName, email, active, fullName: toName(account), role: owner ? 1 : 2 };
}

function toShownGroup({ id, uid, name, permissions }: Team): CounterpartGroup {
  return { id, uid, name, permissions };
}
