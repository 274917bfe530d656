import { z } from 'zod';
import { isObject, parse, Refusal } from './refusal.ts';
import type { SandboxService } from './service.ts';

type Action = (service: SandboxService, fields: unknown) => unknown;

/** An id, or an address or a name. */
const ref = z.union([z.string(), z.number()]);
const text = z.string();
const user = { user: ref };
const group = { group: ref };
const link = { ...group, ...user };
const number = z.number().optional();
const flag = z.boolean().optional();

/** Changes that bypass the API: each is the method of SandboxService of the same name, with its arguments by name. */
export const actions: Readonly<Record<string, Action>> = {
  addUser: action(
    {
      email: text,
      userName: text.optional(),
      fullName: text.optional(),
      active: flag,
      virtual: flag,
    },
    (service, wanted) => service.addUser(wanted),
  ),
  renameUser: action({ ...user, fullName: text }, (service, { user, fullName }) =>
    service.updateUser(user, { fullName }),
  ),
  setActive: action({ ...user, active: z.boolean().default(true) }, (service, { user, active }) =>
    service.updateUser(user, { active }),
  ),
  setRole: action({ ...user, role: z.literal([1, 2]) }, (service, { user, role }) =>
    service.updateUser(user, { role }),
  ),
  removeUser: action(user, (service, { user }) => service.removeUser(user)),
  createGroup: action({ name: text, permissions: number }, (service, wanted) =>
    service.createGroup(wanted),
  ),
  renameGroup: action({ ...group, name: text }, (service, { group, name }) =>
    service.updateGroup(group, { name }),
  ),
  setPermissions: action({ ...group, permissions: z.number() }, (service, fields) =>
    service.updateGroup(fields.group, { permissions: fields.permissions }),
  ),
  deleteGroup: action(group, (service, { group }) => service.deleteGroup(group)),
  addMember: action(link, (service, { group, user }) => service.link(group, user)),
  removeMember: action(link, (service, { group, user }) => service.unlink(group, user)),
  addAdmin: action(link, (service, { group, user }) => service.link(group, user, 'admin')),
  removeAdmin: action(link, (service, { group, user }) => service.unlink(group, user, 'admin')),
  addSpace: action({ title: text }, (service, { title }) => service.addSpace(title)),
  setRoles: action({ space: text, ...group, roles: text.default('') }, (service, fields) =>
    service.setRoles(fields.space, fields.group, fields.roles.split(' ').filter(Boolean)),
  ),
  seed: action({ users: number, groups: number, membersPerGroup: number }, (service, seed) =>
    service.seed(seed),
  ),
};

function action<Shape extends z.ZodRawShape>(
  shape: Shape,
  perform: (service: SandboxService, fields: z.infer<z.ZodObject<Shape>>) => unknown,
): Action {
  const schema = z.object(shape);
  return (service, fields) => perform(service, parse(schema, fields));
}

/**
 * Performs the action of a body of `POST /_sandbox/state`, as the account `as` (default: the owner), and returns the
 * method's result.
 * @throws Refusal 400 for an unknown action or field, otherwise the error of the method
 */
export function performAction(service: SandboxService, body: unknown): unknown {
  if (!isObject(body)) throw new Refusal(400, 'an action should be an object');
  const { action: name, as: author, ...fields } = body;
  const known = Object.hasOwn(actions, String(name)) ? actions[String(name)] : undefined;
  if (known === undefined) throw new Refusal(400, `no action '${String(name)}'`);
  return known(author === undefined ? service : service.as(parse(ref, author)), fields);
}
