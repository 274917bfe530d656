import { Refusal } from '../refusal.ts';
import type { SandboxService } from '../service.ts';
import { isObject } from './exchange.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Changes behind the API's back: each is the method of SandboxService of the same name. */
const actions: Readonly<Record<string, (service: SandboxService, fields: Fields) => unknown>> = {
  addUser: (service, fields) =>
    service.addUser({
      email: text(fields, 'email'),
      userName: optionalText(fields, 'userName'),
      fullName: optionalText(fields, 'fullName'),
      active: optionalFlag(fields, 'active'),
      virtual: optionalFlag(fields, 'virtual'),
    }),
  renameUser: (service, fields) =>
    service.renameUser(ref(fields, 'user'), text(fields, 'fullName')),
  setActive: (service, fields) =>
    service.setActive(ref(fields, 'user'), optionalFlag(fields, 'active') ?? true),
  setRole: (service, fields) => service.setRole(ref(fields, 'user'), fields.role === 1 ? 1 : 2),
  removeUser: (service, fields) => service.removeUser(ref(fields, 'user')),
  createGroup: (service, fields) =>
    service.createGroup({
      name: text(fields, 'name'),
      permissions: optionalNumber(fields, 'permissions'),
    }),
  renameGroup: (service, fields) => service.renameGroup(ref(fields, 'group'), text(fields, 'name')),
  setPermissions: (service, fields) =>
    service.setPermissions(ref(fields, 'group'), optionalNumber(fields, 'permissions') ?? 0),
  deleteGroup: (service, fields) => service.deleteGroup(ref(fields, 'group')),
  addMember: (service, fields) => service.addMember(ref(fields, 'group'), ref(fields, 'user')),
  removeMember: (service, fields) =>
    service.removeMember(ref(fields, 'group'), ref(fields, 'user')),
  addAdmin: (service, fields) => service.addAdmin(ref(fields, 'group'), ref(fields, 'user')),
  removeAdmin: (service, fields) => service.removeAdmin(ref(fields, 'group'), ref(fields, 'user')),
  addSpace: (service, fields) => service.addSpace(text(fields, 'title')),
  setRoles: (service, fields) => {
    const roles = (optionalText(fields, 'roles') ?? '').split(' ').filter((role) => role !== '');
    service.setRoles(text(fields, 'space'), ref(fields, 'group'), roles);
  },
  seed: (service, fields) =>
    service.seed({
      users: optionalNumber(fields, 'users'),
      groups: optionalNumber(fields, 'groups'),
      membersPerGroup: optionalNumber(fields, 'membersPerGroup'),
    }),
};

/**
 * Performs the action of a body of `POST /_sandbox/state`, as the account `as` (default: the owner), and returns the
 * method's result.
 * @throws Refusal 400 for an unknown action, otherwise the error of the method.
 */
export function parseAndPerform(service: SandboxService, body: unknown): unknown {
  if (!isObject(body)) throw new Refusal('bad-request', 'an action should be an object');
  const { action, as: author, ...fields } = body;
  const name = String(action);
  const perform = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (perform === undefined) throw new Refusal('bad-request', `no action '${name}'`);
  return perform(author === undefined ? service : service.as(ref({ author }, 'author')), fields);
}

function ref(fields: Fields, name: string): string | number {
  const value = fields[name];
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Refusal('bad-request', `${name} should be an id, an address or a name`);
}

function text(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined) throw new Refusal('bad-request', `${name} is missing`);
  return value;
}

function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Refusal('bad-request', `${name} should be text`);
}

function optionalNumber(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'number') return value;
  throw new Refusal('bad-request', `${name} should be a number`);
}

function optionalFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'boolean') return value;
  throw new Refusal('bad-request', `${name} should be true or false`);
}
