import type { Wire } from '../../../src/sandbox/http/serve.ts';
import { readAnswer } from '../../../src/upstream/answers.ts';
import { UpstreamError } from '../../../src/upstream/errors.ts';
import type { Operation } from '../../../src/upstream/operations/operation.ts';
import type { Prepare, PreparedRequest } from '../../../src/upstream/operations/prepare.ts';
import { compileOperation } from '../../../src/upstream/operations/prepare.ts';
import { planRepeatMs } from '../../../src/upstream/retry.ts';
import type { CallOptions, Transport } from '../../../src/upstream/transport.ts';
import type { Company } from './company.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What goes wrong with calls, each with its probability in [0, 1]. */
export interface Trouble {
  /** The call never arrives, and nobody is told so. */
  readonly lost?: number;
  readonly answerLost?: number;
  readonly unavailable?: number;
  readonly unavailableDone?: number;
}

/** What a gated transport is made of. */
export interface GatedTransportOptions {
  readonly owner: string;
  readonly scheduler: Scheduler;
  readonly company: Company;
  readonly random: SeededRandom;
  readonly trouble: () => Trouble;
  readonly mayLeave: () => boolean;
  readonly callMs: number;
}

/** A transport whose calls can be waited for. */
export type GatedTransport = ReturnType<typeof createGatedTransport>;

type Fate = 'carried-out' | keyof Trouble;

const ATTEMPTS_MAX = 3;
const prepares = new Map<Operation, Prepare>();

/** A transport without HTTP: others may come first before a call has its effect and before its answer arrives. */
export function createGatedTransport(options: GatedTransportOptions) {
  let underWay = 0;
  async function call(operation: Operation, args: unknown, callOptions: CallOptions = {}) {
    const request = prepare(operation, args);
    underWay += 1;
    try {
      return await runAttempts(options, { operation, args, request, callOptions });
    } finally {
      underWay -= 1;
    }
  }
  const unused = () => {
    throw new Error('nobody asks for this here');
  };
  return {
    get underWay() {
      return underWay;
    },
    call,
    request: unused,
    download: unused,
    renewToken: unused,
    health: unused,
    writesRefused: () => undefined,
    queueAheadMs: () => 0,
    aheadMs: () => 0,
    prioritise: () => undefined,
    close: async () => undefined,
  } satisfies Transport & { readonly underWay: number };
}

function prepare(operation: Operation, args: unknown): PreparedRequest {
  const known = prepares.get(operation);
  const compiled =
    known ?? compileOperation(operation, operation.api === 'scim' ? '' : '/api/latest');
  prepares.set(operation, compiled);
  return compiled(args);
}

interface Call {
  readonly operation: Operation;
  readonly args: unknown;
  readonly request: PreparedRequest;
  readonly callOptions: CallOptions;
}

async function runAttempts(options: GatedTransportOptions, call: Call): Promise<unknown> {
  const { scheduler, owner, random, callMs } = options;
  const clock = scheduler.clock(owner);
  const endsAt = clock.now() + (call.callOptions.timeoutMs ?? callMs);
  let doubt: UpstreamError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runAttempt(options, call, { attempt, endsAt });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (error.outcome === 'unknown') doubt = error;
      const delayMs = planRepeatMs({
        error,
        attempt,
        attemptsMax: ATTEMPTS_MAX,
        repeat: call.operation.repeat,
        remainingMs: Math.max(0, endsAt - clock.now()),
        random: random.next(),
      });
      if (delayMs === undefined) throw toFinalError(error, doubt);
      await clock.sleep(delayMs);
    }
  }
}

async function runAttempt(
  options: GatedTransportOptions,
  call: Call,
  { attempt, endsAt }: { attempt: number; endsAt: number },
): Promise<unknown> {
  const { scheduler, company, owner, random, trouble } = options;
  const { operation, request } = call;
  const { id, method } = operation;
  await announce(call, attempt);
  if (scheduler.now() > endsAt || !options.mayLeave()) throw lose(id, 'not-sent');
  const fate = chooseFate(trouble(), random);
  await scheduler.pass(owner, () => `calls ${id} ${request.path} ${request.body ?? ''} (${fate})`);
  // A call whose time was over before it arrived was given up by then.
  if (fate === 'lost' || scheduler.now() > endsAt) throw lose(id, 'unknown');
  const wire = fate === 'unavailable' ? UNAVAILABLE : company.answer(method, request);
  await scheduler.pass(owner, () => `is answered ${wire.status} for ${id} (${fate})`);
  if (fate === 'answerLost' || scheduler.now() > endsAt) throw lose(id, 'unknown');
  const answer = fate === 'unavailableDone' ? UNAVAILABLE : wire;
  const circumstances = { token: 'secret', nowMs: scheduler.now(), pauseMs: undefined };
  const read = readAnswer({ operation, url: request.path }, answer, circumstances);
  if (read instanceof UpstreamError) throw read;
  return read.value;
}

function toFinalError(error: UpstreamError, doubt: UpstreamError | undefined): UpstreamError {
  return error.retry === 'later' ? (doubt ?? error) : error;
}

async function announce({ operation, args, callOptions }: Call, attempt: number): Promise<void> {
  const { beforeSend, key } = callOptions;
  if (!beforeSend) return;
  try {
    await beforeSend({ operation, args, attempt, callClass: callOptions.class ?? 'pass', key });
  } catch (cause) {
    const fate = { retry: 'later', outcome: 'not-sent', detail: 'stopped', cause } as const;
    throw new UpstreamError('stopped', { operation: operation.id, ...fate });
  }
}

function chooseFate(trouble: Trouble, random: SeededRandom): Fate {
  let point = random.next();
  for (const fate of ['lost', 'answerLost', 'unavailable', 'unavailableDone'] as const) {
    point -= trouble[fate] ?? 0;
    if (point < 0) return fate;
  }
  return 'carried-out';
}

const UNAVAILABLE: Wire = { status: 503, headers: {}, text: '' };

function lose(operation: string, outcome: 'not-sent' | 'unknown'): UpstreamError {
  return new UpstreamError('timeout', { operation, outcome, retry: 'later', detail: 'no answer' });
}
