import { z } from 'zod';
import type { CallLog } from './calls.ts';
import type { Faults } from './faults.ts';
import { faultRule } from './faults.ts';
import type { LinkKind } from './model.ts';
import { parse, Refusal } from './refusal.ts';
import type { SandboxService } from './service.ts';
import { parseShapeChange } from './shape.ts';

/** The parts of a sandbox that its control interface reads and changes. */
export interface Controlled {
  readonly service: SandboxService;
  readonly calls: CallLog;
  readonly faults: Faults;
  /** Removes all but the owner, clears calls and faults; the shape stays, ids go on counting. */
  reset(): void;
}

const faultChange = z.object({
  requestsPerSecond: z.int().min(0).nullable().optional(),
  sections: z.record(z.string(), z.literal([402, 403, null])).default({}),
  release: z.boolean().optional(),
});

/**
 * The control interface of a sandbox in another process: same port, same bearer token, JSON in and out, never counted,
 * never faulted. What is refused answers 400 with a message. docs/command-line.md says what each does.
 */
export const controls: Readonly<Record<string, (sandbox: Controlled, body: unknown) => unknown>> = {
  'GET /_sandbox/calls': ({ calls }) => ({
    total: calls.count(),
    peak: calls.peak,
    counts: calls.counts(),
    recent: calls.recent(),
  }),
  'DELETE /_sandbox/calls': ({ calls }) => calls.reset(),
  'GET /_sandbox/shape': ({ service }) => service.shape,
  'PATCH /_sandbox/shape': ({ service }, body) => {
    service.inputs.shape = parseShapeChange(service.shape, body);
    return service.shape;
  },
  'GET /_sandbox/faults': ({ faults }) => ({
    requestsPerSecond: faults.requestsPerSecond ?? null,
    rules: faults.active().map(({ rule, met }) => ({ ...rule, met })),
  }),
  'POST /_sandbox/faults': ({ faults }, body) => void faults.add(parse(faultRule, body)),
  'PATCH /_sandbox/faults': ({ faults }, body) => {
    const { requestsPerSecond, sections, release } = parse(faultChange, body);
    if (requestsPerSecond !== undefined) faults.requestsPerSecond = requestsPerSecond ?? undefined;
    for (const [operation, status] of Object.entries(sections)) {
      for (const { rule, remove } of faults.active()) if (rule.operation === operation) remove();
      if (status) faults.add(parse(faultRule, { operation, fault: { kind: 'status', status } }));
    }
    if (release) faults.release();
  },
  'DELETE /_sandbox/faults': ({ faults }) => faults.clear(),
  'GET /_sandbox/state': ({ service }) => ({
    users: service.users(),
    groups: service.groups().map((group) => ({
      ...group,
      members: service.members(group.id),
      admins: service.admins(group.id),
    })),
    events: service.auditEvents().length,
  }),
  'POST /_sandbox/state': ({ service }, body) => {
    const { action, as, ...fields } = parse(act, body);
    const perform = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (perform === undefined) throw new Refusal(400, `no action '${action}'`);
    return perform(as === undefined ? service : service.as(as), fields);
  },
  'POST /_sandbox/reset': (sandbox) => sandbox.reset(),
};

/** Answers a request, as method and path. @throws Refusal 404 for an unknown one, 400 for a body it cannot use */
export function answerControl(sandbox: Controlled, request: string, body: unknown): unknown {
  const control = Object.hasOwn(controls, request) ? controls[request] : undefined;
  if (control === undefined) throw new Refusal(404, `no control ${request}`);
  return control(sandbox, body);
}

type Action = (service: SandboxService, fields: unknown) => unknown;

/** An id, or an address or a name. */
const ref = z.union([z.string(), z.number()]);
const text = z.string();
const act = z.looseObject({ action: text, as: ref.optional() });
const user = { user: ref };
const group = { group: ref };
const number = z.number().optional();
const flag = z.boolean().optional();
const names = { userName: text.optional(), fullName: text.optional() };

/** Changes that bypass the API, with their fields. `as` says whose act it is; default: the owner's. */
export const actions: Readonly<Record<string, Action>> = {
  addUser: action({ email: text, ...names, active: flag, virtual: flag }, (service, wanted) =>
    service.addUser(wanted),
  ),
  renameUser: action({ ...user, fullName: text }, (service, { user, ...update }) =>
    service.updateUser(user, update),
  ),
  setActive: action(
    { ...user, active: z.boolean().default(true) },
    (service, { user, ...update }) => service.updateUser(user, update),
  ),
  setRole: action({ ...user, role: z.literal([1, 2]) }, (service, { user, ...update }) =>
    service.updateUser(user, update),
  ),
  removeUser: action(user, (service, { user }) => service.removeUser(user)),
  createGroup: action({ name: text, permissions: number }, (service, wanted) =>
    service.createGroup(wanted),
  ),
  renameGroup: action({ ...group, name: text }, (service, { group, ...update }) =>
    service.updateGroup(group, update),
  ),
  setPermissions: action({ ...group, permissions: z.number() }, (service, { group, ...update }) =>
    service.updateGroup(group, update),
  ),
  deleteGroup: action(group, (service, { group }) => service.deleteGroup(group)),
  addMember: link('member', true),
  removeMember: link('member', false),
  addAdmin: link('admin', true),
  removeAdmin: link('admin', false),
  addSpace: action({ title: text }, (service, { title }) => service.addSpace(title)),
  setRoles: action({ space: text, ...group, roles: text.default('') }, (service, fields) =>
    service.setRoles(fields.space, fields.group, fields.roles.split(' ').filter(Boolean)),
  ),
  seed: action({ users: number, groups: number, membersPerGroup: number }, (service, seed) =>
    service.seed(seed),
  ),
};

function link(kind: LinkKind, present: boolean): Action {
  return action({ ...group, ...user }, (service, { group, user }) =>
    service.link(group, user, kind, present),
  );
}

function action<Shape extends z.ZodRawShape>(
  shape: Shape,
  perform: (service: SandboxService, fields: z.infer<z.ZodObject<Shape>>) => unknown,
): Action {
  const schema = z.object(shape);
  return (service, fields) => perform(service, parse(schema, fields));
}
