import { z } from 'zod';
import { performAction } from './actions.ts';
import type { CallLog } from './calls.ts';
import { type Faults, faultRule } from './faults.ts';
import { SECTIONS } from './operations.ts';
import { parse, Refusal } from './refusal.ts';
import type { SandboxService } from './service.ts';
import {
  parseShapeChange,
  type SandboxPreset,
  type SandboxShape,
  type SandboxShapeChange,
} from './shape.ts';

/** The parts of a sandbox that its control interface reads and changes. */
export interface Controlled {
  readonly service: SandboxService;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly shape: SandboxShape;
  setShape(change: SandboxPreset | SandboxShapeChange): void;
  /** Removes all but the owner, clears calls and faults; the shape stays, ids go on counting. */
  reset(): void;
}

type Control = (sandbox: Controlled, body: unknown) => unknown;

/**
 * The control interface of a sandbox in another process: same port, same bearer token, JSON in and out, never counted,
 * never faulted. What is refused answers 400 with a message. docs/command-line.md says what each does.
 */
export const controls: Readonly<Record<string, Control>> = {
  'GET /_sandbox/calls': ({ calls }) => ({
    total: calls.count(),
    peak: calls.peak,
    counts: calls.counts(),
    recent: calls.recent(),
  }),
  'DELETE /_sandbox/calls': ({ calls }) => calls.reset(),
  'GET /_sandbox/shape': ({ shape }) => shape,
  'PATCH /_sandbox/shape': (sandbox, body) => {
    sandbox.setShape(parseShapeChange(sandbox.shape, body));
    return sandbox.shape;
  },
  'GET /_sandbox/faults': ({ faults }) => ({
    requestsPerSecond: faults.requestsPerSecond ?? null,
    rules: faults.active().map(({ rule, met }) => ({ ...rule, met })),
  }),
  'POST /_sandbox/faults': ({ faults }, body) => void faults.add(parse(faultRule, body)),
  'PATCH /_sandbox/faults': ({ faults }, body) => changeFaults(faults, body),
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
  'POST /_sandbox/reset': (sandbox) => sandbox.reset(),
};

/** Answers a request, as method and path. @throws Refusal 404 for an unknown one, 400 for a body it cannot use */
export function answerControl(sandbox: Controlled, request: string, body: unknown): unknown {
  const control = Object.hasOwn(controls, request) ? controls[request] : undefined;
  if (control === undefined) throw new Refusal(404, `no control ${request}`);
  return control(sandbox, body);
}

const faultChange = z.object({
  requestsPerSecond: z.int().min(0).nullable().optional(),
  sections: z.partialRecord(z.enum(SECTIONS), z.literal([402, 403, null])).optional(),
  release: z.boolean().optional(),
});

function changeFaults(faults: Faults, body: unknown): void {
  const { requestsPerSecond, sections = {}, release } = parse(faultChange, body);
  if (requestsPerSecond !== undefined) faults.requestsPerSecond = requestsPerSecond ?? undefined;
  for (const section of SECTIONS) {
    const status = sections[section];
    if (status === null) faults.allow(section);
    else if (status !== undefined) faults.refuse(section, status);
  }
  if (release) faults.release();
}
