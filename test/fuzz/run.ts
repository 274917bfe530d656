import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { JsonValue } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { findProcessFacts } from '../bench/machine.ts';
import { program } from '../support/repository.ts';
import { toRequester } from '../support/send-raw.ts';
import type { BridgeProcess } from '../support/server.ts';
import { startBridge } from '../support/server.ts';
import { OPS_TOKEN, toEnv } from '../support/site.ts';
import type { Attempt, Pool } from './attempts.ts';
import { makeAttempt } from './attempts.ts';

/** How much rubbish to throw. */
export interface FuzzPlan {
  readonly seed: number;
  readonly requests: number;
  readonly databaseUrl: string | undefined;
  readonly people: number;
  readonly say: (line: string) => void;
}

/** What came of it. */
export interface FuzzReport {
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
  readonly memoryMb: readonly number[];
  readonly seconds: number;
}

const AT_ONCE = 16;
const FINDINGS_MAX = 50;
const MEMORY_SLACK_MB = 64;

interface Stage {
  readonly bridge: BridgeProcess;
  readonly pool: Pool;
  /** Addresses of people and groups that no attempt names, with what is answered for them. */
  readonly bystanders: ReadonlyMap<string, string>;
}

/** Throws rubbish at a real bridge in a process of its own, and looks at what it answers and what becomes of it. */
export async function runFuzz(plan: FuzzPlan): Promise<FuzzReport> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-fuzz-'));
  const sandbox = await startSandbox({
    seed: { users: plan.people, groups: Math.ceil(plan.people / 8) },
  });
  const bridge = await startBridge({
    folder,
    // The flags of `npm start`, without which the heap grows as long as there is memory.
    command: ['--max-semi-space-size=4', '--heap-growing-percent=25', program, 'serve'],
    env: {
      MALLOC_ARENA_MAX: '1',
      ...toEnv(sandbox),
      SCIM_REQUESTS_PER_SECOND: '0',
      LIMITS_PROVIDER: '0',
      SCIM_WRITE_WAIT: '20ms',
      // Otherwise most of the time is spent with waiting for answers to wrong credentials.
      ACCESS_FAILED_DELAY_MAX: '0',
      ...(plan.databaseUrl !== undefined && { DATABASE_URL: plan.databaseUrl }),
    },
  });
  try {
    await bridge.ready();
    return await play(plan, await prepare(plan, bridge));
  } finally {
    await bridge.kill();
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare({ seed }: FuzzPlan, bridge: BridgeProcess): Promise<Stage> {
  const provider = toRequester(bridge);
  const there = [
    ...(await provider.list('/Users?count=1000')),
    ...(await provider.list('/Groups?count=1000')),
  ];
  const paths: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    const id = await provider.addUser(`bystander${index}`);
    paths.push(`/Users/${id}`, `/Groups/${await provider.addGroup(`Bystanders ${index}`, [id])}`);
  }
  const bystanders = new Map<string, string>();
  for (const path of paths) bystanders.set(path, (await provider.send('GET', path)).text);
  const pool = {
    seed,
    ids: there.map(({ id }) => String(id)),
    samples: readSamples(),
    scimToken: bridge.token,
    opsToken: OPS_TOKEN,
  };
  return { bridge, pool, bystanders };
}

function readSamples(): JsonValue[] {
  const file = join(import.meta.dirname, '../bridge/provider-cases/cases.json');
  const cases = JSON.parse(readFileSync(file, 'utf8')) as { steps: { body?: JsonValue }[] }[];
  return cases.flatMap(({ steps }) =>
    steps.flatMap(({ body }) => (body === undefined ? [] : [body])),
  );
}

async function play({ requests, say }: FuzzPlan, stage: Stage): Promise<FuzzReport> {
  const { bridge, pool } = stage;
  const startedAt = performance.now();
  const port = Number(new URL(bridge.baseUrl).port);
  const counts = new Map<string, number>();
  const findings: string[] = [];
  const memoryMb: number[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < requests && findings.length < FINDINGS_MAX; index = next++) {
      if (index % Math.ceil(requests / 10) === 0) {
        memoryMb.push(readMemoryMb(bridge));
        say(`${index} of ${requests}, ${memoryMb.at(-1)?.toFixed(0)} MB`);
      }
      const attempt = makeAttempt(pool, index);
      const reply = await send(port, attempt);
      const key = reply.kind === 'answer' ? String(reply.status) : reply.kind;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const fault = findFault(attempt, reply);
      if (fault !== undefined) findings.push(`#${index} ${attempt.title}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  memoryMb.push(readMemoryMb(bridge));
  findings.push(...(await judgeAfterwards(stage)), ...judgeMemory(memoryMb));
  return { counts, findings, memoryMb, seconds: (performance.now() - startedAt) / 1_000 };
}

/** 0 where only Linux knows. Not from the metrics: whoever asks for those may be turned away. */
function readMemoryMb({ pid }: BridgeProcess): number {
  return findProcessFacts(pid)?.residentMb ?? 0;
}

function judgeMemory(memoryMb: readonly number[]): string[] {
  const half = Math.floor(memoryMb.length / 2);
  const first = Math.max(...memoryMb.slice(0, half));
  const second = Math.max(...memoryMb.slice(half));
  if (second <= first + MEMORY_SLACK_MB) return [];
  return [`memory grows: ${memoryMb.map((mb) => mb.toFixed(0)).join(', ')} MB`];
}

function isFault(line: string): boolean {
  return /"level":"(?:error|fatal)"/.test(line) && !line.includes('the service refused');
}

async function judgeAfterwards({ bridge, bystanders }: Stage): Promise<string[]> {
  const provider = toRequester(bridge);
  const findings: string[] = [];
  const health = await provider.request('GET', new URL('/healthz', bridge.baseUrl).href);
  if (health.status !== 200) findings.push(`/healthz answers ${health.status}`);
  for (const [path, text] of bystanders) {
    const answer = await provider.request('GET', path);
    if (answer.text !== text) findings.push(`${path} was changed by nobody: ${answer.text}`);
  }
  const group = await provider.addGroup('Afterwards', [await provider.addUser('afterwards')]);
  const members = await provider.readMemberIds(group);
  if (members.length !== 1) findings.push('a group of one has another number of members');
  findings.push(...bridge.output().split('\n').filter(isFault).slice(0, 10));
  return findings;
}

/** What came back. `closed`: the connection ended without an answer; `silent`: it did neither. */
type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly head: string;
      readonly body: string;
    }
  | { readonly kind: 'closed'; readonly how: string }
  | { readonly kind: 'silent' };

/** An honest answer is there in milliseconds; a busy machine may add some. */
const PATIENCE_MS = 20_000;

function send(port: number, { title, bytes, cutAfter, piece }: Attempt): Promise<Reply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let how = 'ended';
    const socket = connect(port, '127.0.0.1');
    const end = (otherwise: Reply) => {
      clearTimeout(timer);
      // Leaves no trace in the system, whose ports would be used up.
      socket.resetAndDestroy();
      resolve(parseReply(Buffer.concat(chunks)) ?? otherwise);
    };
    const timer = setTimeout(end, PATIENCE_MS, { kind: 'silent' });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const reply = parseReply(Buffer.concat(chunks));
      if (reply !== undefined && (title.startsWith('HEAD') || isComplete(reply))) end(reply);
    });
    socket.on('error', (error) => (how = String(error)));
    socket.on('close', () => end({ kind: 'closed', how }));
    if (cutAfter !== undefined)
      socket.write(bytes.subarray(0, cutAfter), () => end({ kind: 'closed', how: 'cut' }));
    else drip(bytes, piece ?? bytes.length);
    function drip(rest: Buffer, size: number): void {
      if (rest.length === 0 || socket.destroyed) return;
      socket.write(rest.subarray(0, size));
      setImmediate(() => drip(rest.subarray(size), size));
    }
  });
}

type Answer = Extract<Reply, { kind: 'answer' }>;

function parseReply(bytes: Buffer): Answer | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, split).toString();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (split < 0 || Number.isNaN(status)) return undefined;
  const rest = bytes.subarray(split + 4);
  if (status === 100) return parseReply(rest);
  return { kind: 'answer', status, head, body: rest.toString() };
}

function isComplete({ status, head, body }: Answer): boolean {
  if (status === 204 || status === 304) return true;
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return LAST_CHUNK.test(body);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return Buffer.byteLength(body) >= length;
}

const LAST_CHUNK = /(^|\r\n)0\r\n\r\n$/;

const INSIDES =
  /\bat [\w.<>]+ \(|node:internal|node_modules|\.[jt]s:\d+|SQLITE_|\bselect [\w, ]+ from /;

function findFault({ path, cutAfter }: Attempt, reply: Reply): string | undefined {
  if (reply.kind === 'silent') return 'no answer, and the connection stays open';
  if (reply.kind === 'closed')
    return cutAfter === undefined
      ? `the connection ended without an answer: ${reply.how}`
      : undefined;
  const { status, head, body } = reply;
  const shown = body.slice(0, 200);
  if (status >= 500 && !isDocumented(path, status)) return `${status}: ${shown}`;
  if (INSIDES.test(body)) return `the answer shows its insides: ${shown}`;
  if (/<html/i.test(body)) return `an answer of the framework: ${shown}`;
  // To HEAD, and by Node itself to what it cannot read.
  if (!path.startsWith('/scim/v2/') || status < 400 || body.replace(LAST_CHUNK, '') === '')
    return undefined;
  if (!/\r\ncontent-type: application\/scim\+json/i.test(head)) return `no type of SCIM: ${shown}`;
  const error = ScimError.safeParse(JSON.parse(body));
  if (error.data?.status !== String(status)) return `no SCIM error with its status: ${shown}`;
  const hasWait = /\r\nretry-after: [1-9]\d*(\r|$)/i.test(head);
  const needsWait = status === 429 || status === 503;
  return needsWait && !hasWait ? `${status} without Retry-After` : undefined;
}

const ScimError = z.object({
  schemas: z.array(z.string()).refine((schemas) => schemas.includes(ERROR)),
  status: z.string(),
  detail: z.string().min(1),
});
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

function isDocumented(path: string, status: number): boolean {
  if (status === 501 || status === 503) return true;
  return path.startsWith('/ops/api/') && (status === 502 || status === 504);
}
