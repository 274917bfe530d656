import { z } from 'zod';
import { performAction } from './actions.ts';
import type { CallLog } from './calls.ts';
import { type Faults, faultRule } from './faults.ts';
import { SECTIONS } from './operations.ts';
import { parse, Refusal } from './refusal.ts';
import type { SandboxService } from './service.ts';
import { parseShapeChange, type SandboxShape, type SandboxShapeChange } from './shape.ts';

/** The parts that the control interface changes and reads. */
export interface ControlDeps {
  readonly service: SandboxService;
  readonly calls: CallLog;
  readonly faults: Faults;
  shape(): SandboxShape;
  setShape(change: SandboxShapeChange): void;
  reset(): void;
}

type Control = (deps: ControlDeps, body: unknown) => unknown;

/**
 * The control interface of a sandbox in another process: same port, same bearer token, JSON in and out, never counted,
 * never faulted. What is refused answers 400 with a message.
 *
 * | request | effect |
 * |---|---|
 * | GET /_sandbox/calls | `{ total, peak, counts: { operation: { status: calls } }, recent }` |
 * | DELETE /_sandbox/calls | counts from 0 again |
 * | GET /_sandbox/shape | the SandboxShape |
 * | PATCH /_sandbox/shape | changes the fields named; `preset` names a whole shape to begin with |
 * | GET /_sandbox/faults | `{ requestsPerSecond, rules }` |
 * | POST /_sandbox/faults | adds the FaultRule of the body |
 * | PATCH /_sandbox/faults | `{ requestsPerSecond: n or null, sections: { name: 402, 403 or null }, release: true }`, each optional |
 * | DELETE /_sandbox/faults | nothing goes wrong any more |
 * | GET /_sandbox/state | `{ users, groups, events }`: groups with `members` and `admins` by address, events as their number |
 * | POST /_sandbox/state | `{ action, as, … }`: a method of SandboxService with its arguments by name |
 * | POST /_sandbox/reset | only the owner is left; calls and faults are cleared, the shape stays |
 */
export const controls: Readonly<Record<string, Control>> = {
  'GET /_sandbox/calls': ({ calls }) => ({
    total: calls.count(),
    peak: calls.peak,
    counts: calls.counts(),
    recent: calls.recent(),
  }),
  'DELETE /_sandbox/calls': ({ calls }) => calls.reset(),
  'GET /_sandbox/shape': ({ shape }) => shape(),
  'PATCH /_sandbox/shape': ({ setShape, shape }, body) => {
    setShape(parseShapeChange(body));
    return shape();
  },
  'GET /_sandbox/faults': ({ faults }) => ({
    requestsPerSecond: faults.requestsPerSecond ?? null,
    rules: faults.active().map(({ rule, met }) => ({ ...rule, met })),
  }),
  'POST /_sandbox/faults': ({ faults }, body) => {
    faults.add(parse(faultRule, body));
  },
  'PATCH /_sandbox/faults': changeFaults,
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
  'POST /_sandbox/state': ({ service }, body) => performAction(service, body),
  'POST /_sandbox/reset': ({ reset }) => reset(),
};

/** Answers a request under `/_sandbox/`. @throws Refusal 404 for an unknown one, 400 for a body it cannot use */
export function answerControl(
  deps: ControlDeps,
  { method, path, body }: { method: string; path: string; body: unknown },
): unknown {
  const key = `${method} ${path}`;
  const control = Object.hasOwn(controls, key) ? controls[key] : undefined;
  if (control === undefined) throw new Refusal(404, `no control ${key}`);
  return control(deps, body);
}

const faultChange = z.object({
  requestsPerSecond: z.int().min(0).nullable().optional(),
  sections: z.partialRecord(z.enum(SECTIONS), z.literal([402, 403, null])).optional(),
  release: z.boolean().optional(),
});

function changeFaults({ faults }: ControlDeps, body: unknown): void {
  const { requestsPerSecond, sections = {}, release } = parse(faultChange, body);
  if (requestsPerSecond !== undefined) faults.limitRate(requestsPerSecond ?? undefined);
  for (const section of SECTIONS) {
    const status = sections[section];
    if (status === null) faults.allow(section);
    else if (status !== undefined) faults.refuse(section, status);
  }
  if (release) faults.release();
}
