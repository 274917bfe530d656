import { request } from 'undici';
import type { JsonValue } from '../../src/domain/json.ts';
import { createSeededRandom, type SeededRandom } from '../interleavings/seeded-random.ts';
import { type RawRequest, sendRaw } from '../support/send-raw.ts';
import { makeJson, mutateValue } from './bodies.ts';
import { type FuzzPlan, type Stage, withStage } from './run.ts';
import { makeFilter } from './text.ts';

/** Longest turn of the event loop that a request may cause, in milliseconds of its thread. */
const TURN_MAX_MS = 50;
/** Requests that are changed further: those that caused the longest turns. */
const KEPT = 40;
/** A turn counts when it is as long each time: garbage collection is not of the request. */
const AGAIN = 3;
const LENGTH_MAX = 2_000_000;

/** A request, as text that can be sent again. */
interface Candidate {
  readonly method: RawRequest['method'];
  readonly path: string;
  readonly body: JsonValue;
  readonly turnMs: number;
}

/** Result of a search for slow requests. */
export interface SlowReport {
  readonly findings: readonly string[];
  /** The longest turns that were met, in milliseconds, the longest first. */
  readonly longestMs: readonly number[];
}

/**
 * Searches for requests that hold the event loop: changes those that held it longest, mostly by making parts of them
 * longer, and sends them one at a time.
 */
export async function searchSlow(plan: FuzzPlan): Promise<SlowReport> {
  return withStage(plan, (stage) => climb(plan, stage));
}

async function climb({ seed, requests, say }: FuzzPlan, stage: Stage): Promise<SlowReport> {
  const random = createSeededRandom(seed);
  const findings: string[] = [];
  let best: Candidate[] = [];
  for (let index = 0; index < requests && findings.length < 10; index += 1) {
    const draft = makeCandidate(random, stage, best);
    const turnMs = await measure(stage, draft);
    best = [...best, { ...draft, turnMs }].toSorted((a, b) => b.turnMs - a.turnMs).slice(0, KEPT);
    if (turnMs > TURN_MAX_MS && (await isAlwaysSlow(stage, draft))) {
      const text = JSON.stringify(draft.body);
      findings.push(
        `${draft.method} ${draft.path} holds the loop ${turnMs.toFixed(0)} ms: ${text.slice(0, 300)} (${text.length} characters)`,
      );
    }
    if (index % 500 === 0) say(`${index} of ${requests}, longest ${best[0]?.turnMs.toFixed(0)} ms`);
  }
  return { findings, longestMs: best.map(({ turnMs }) => turnMs) };
}

type Draft = Omit<Candidate, 'turnMs'>;

async function isAlwaysSlow(stage: Stage, draft: Draft): Promise<boolean> {
  for (let again = 0; again < AGAIN; again += 1) {
    if ((await measure(stage, draft)) <= TURN_MAX_MS) return false;
  }
  return true;
}

/** Sends a request and asks the probe for the longest turn meanwhile, in milliseconds. */
async function measure(
  { bridge, probeUrl }: Stage,
  { method, path, body }: Draft,
): Promise<number> {
  await readLongest(probeUrl);
  await sendRaw(bridge, { method, path, body: JSON.stringify(body) });
  return readLongest(probeUrl);
}

async function readLongest(probeUrl: string): Promise<number> {
  return Number(await (await request(probeUrl)).body.text());
}

function makeCandidate(random: SeededRandom, { pool }: Stage, best: readonly Candidate[]): Draft {
  const [first, ...others] = best;
  const source = { ...pool, random };
  if (first !== undefined && random.chance(0.8)) {
    const { method, path, body } = random.pick([first, ...others]);
    const changed = random.chance(0.7) ? grow(random, body) : mutateValue(source, body, 0.05);
    if (JSON.stringify(changed).length <= LENGTH_MAX) return { method, path, body: changed };
  }
  const id = random.pick(pool.ids);
  const [method, path] = random.pick([
    ['POST', '/Users/.search'],
    ['POST', '/Groups/.search'],
    ['POST', '/.search'],
    ['POST', '/Bulk'],
    ['POST', '/Users'],
    ['PUT', `/Users/${id}`],
    ['PATCH', `/Users/${id}`],
    ['PATCH', `/Groups/${id}`],
  ] as const);
  return {
    method,
    path,
    body: path.endsWith('.search') ? { filter: makeFilter(random) } : makeJson(source),
  };
}

/** The value with one of its parts made longer: a list or an object with more of the same, a text or a filter twice. */
function grow(random: SeededRandom, value: JsonValue): JsonValue {
  if (typeof value === 'string') return growText(random, value);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.4)) return [...value, ...value, ...value.slice(0, 1)];
    const at = Math.floor(random.next() * value.length);
    return value.map((part, index) => (index === at ? grow(random, part) : part));
  }
  if (typeof value !== 'object' || value === null) return [value, value];
  const names = Object.keys(value);
  const [name, ...others] = names;
  if (name === undefined) return value;
  const chosen = random.pick([name, ...others]);
  const part = grow(random, value[chosen] ?? null);
  return { ...value, [random.chance(0.1) ? `${chosen}${names.length}` : chosen]: part };
}

function growText(random: SeededRandom, text: string): string {
  return random.pick([
    `${text}${text}`,
    `${text} or ${text}`,
    `${text} and ${text}`,
    `not (${text})`,
    text.replaceAll('"', `${'x'.repeat(50)}"`),
    text.replaceAll('[', '[not (value eq "x") and '),
    `${text}${'\u0130'.repeat(100)}`,
  ]);
}
