import { createSeededRandom } from '../model/interleavings/seeded-random.ts';
import { createEmptyDatabase } from '../support/store-templates.ts';
import { withSlowness } from '../support/yardstick.ts';
import { type Draft, makeDraft, mutateDraft } from './drafts.ts';
import { type FuzzPlan, type Stage, withStage } from './run.ts';
import { TurnMeter } from './turn-meter.ts';

/**
 * Longest turn of the event loop that a request may cause, in milliseconds of the bridge's own thread on the machine for
 * which limits were set.
 */
const TURN_MAX_MS = 50;
/** Requests that are changed further: those that caused the longest turns. */
const KEPT = 40;
/** Repetitions of a suspicion; more than half of them have to be as long. */
const AGAIN = 5;
/** Requests to one bridge; the next one gets a new bridge, so that none is slow because of what others left behind. */
const SLICE = 5_000;
const FINDINGS_MAX = 10;

/** A request and the longest turn that it caused, in milliseconds. */
interface Candidate {
  readonly draft: Draft;
  readonly turnMs: number;
}

/** Result of a search for slow requests. */
export interface SlowReport {
  readonly findings: readonly string[];
  /** The longest turns that were met, each twice, in milliseconds, the longest first. */
  readonly longestMs: readonly number[];
  /** Turns that were above the limit once, and not when they were repeated alone. */
  readonly dismissed: number;
}

/**
 * Searches for requests that hold the event loop: changes those that held it longest, mostly by making parts of them
 * longer, and sends them one at a time.
 *
 * A turn is measured in processor time of the thread, so that others on the machine do not count. A turn above the limit
 * is only a suspicion: the collection of garbage, the compilation of code, and the work behind the answer of the request
 * before fall on whichever request is under way. So both requests are repeated alone, each time on users and groups made
 * anew, so that a repetition has as much to do as the first time. A finding is above the limit in most repetitions, and
 * the limit is raised by as much as a fixed work takes longer at that time than on the machine for which it was set.
 */
export async function searchSlow(plan: FuzzPlan): Promise<SlowReport> {
  const climb = new Climb(plan);
  for (let done = 0; done < plan.requests && !climb.isOver; done += SLICE) {
    const count = Math.min(SLICE, plan.requests - done);
    const run = (stage: Stage) => climb.run(stage, { from: done, to: done + count });
    const databaseUrl =
      plan.databaseUrl && (await createEmptyDatabase(plan.databaseUrl, `slice_${done}`));
    await withStage({ ...plan, databaseUrl }, run);
  }
  return climb.report();
}

class Climb {
  readonly #plan: FuzzPlan;
  readonly #random: ReturnType<typeof createSeededRandom>;
  readonly #findings: string[] = [];
  #best: readonly Candidate[] = [];
  #dismissed = 0;
  constructor(plan: FuzzPlan) {
    this.#plan = plan;
    this.#random = createSeededRandom(plan.seed);
  }

  get isOver(): boolean {
    return this.#findings.length >= FINDINGS_MAX;
  }

  report(): SlowReport {
    const longestMs = this.#best.map(({ turnMs }) => turnMs);
    return { findings: this.#findings, longestMs, dismissed: this.#dismissed };
  }

  async run(stage: Stage, { from, to }: { from: number; to: number }): Promise<void> {
    const meter = new TurnMeter(stage);
    let before: Draft | undefined;
    for (let index = from; index < to && !this.isOver; index += 1) {
      const draft = this.#makeDraft(stage);
      const onceMs = await meter.measure(draft);
      const turnMs = onceMs > TURN_MAX_MS ? await this.#judge(meter, draft, before) : onceMs;
      await this.#keep(meter, { draft, turnMs });
      before = draft;
      if (index % 500 === 0) this.#tell(index);
    }
  }

  #tell(index: number): void {
    const [longest] = this.#best;
    const what = longest && `${longest.turnMs.toFixed(0)} ms by ${describe(longest.draft, 100)}`;
    this.#plan.say(
      `${index} of ${this.#plan.requests}, ${this.#dismissed} dismissed, longest ${what}`,
    );
  }

  #makeDraft({ pool: { samples } }: Stage): Draft {
    const source = { random: this.#random, samples };
    const [first, ...others] = this.#best;
    if (first !== undefined && this.#random.chance(0.8)) {
      const changed = mutateDraft(source, this.#random.pick([first, ...others]).draft);
      if (changed !== undefined) return changed;
    }
    return makeDraft(source);
  }

  /** Keeps a request that is among the longest both times: once may have been chance. */
  async #keep(meter: TurnMeter, { draft, turnMs }: Candidate): Promise<void> {
    const shortest = this.#best.length < KEPT ? 0 : (this.#best.at(-1)?.turnMs ?? 0);
    if (turnMs <= shortest) return;
    const again = { draft, turnMs: Math.min(turnMs, await meter.measure(draft)) };
    this.#best = [...this.#best, again].toSorted((a, b) => b.turnMs - a.turnMs).slice(0, KEPT);
  }

  /** Repeats a suspicion. @returns what the draft takes mostly */
  async #judge(meter: TurnMeter, draft: Draft, before: Draft | undefined): Promise<number> {
    const own = await repeat(meter, draft);
    const slow = own.finding ?? (before && (await repeat(meter, before)).finding);
    if (slow === undefined) this.#dismissed += 1;
    else this.#findings.push(slow);
    return own.medianMs;
  }
}

/** What a draft takes mostly, in milliseconds on the machine for which limits were set; a finding where that is too much. */
async function repeat(
  meter: TurnMeter,
  draft: Draft,
): Promise<{ readonly medianMs: number; readonly finding: string | undefined }> {
  const { result, slowness } = await withSlowness(() => meter.repeat(draft, AGAIN));
  const turnsMs = result.map((ms) => ms / slowness.thread).toSorted((a, b) => a - b);
  const medianMs = turnsMs[Math.floor(AGAIN / 2)] ?? 0;
  const each = turnsMs.map((ms) => ms.toFixed(0)).join(', ');
  const finding = `${describe(draft, 500)} holds the loop ${each} ms`;
  return { medianMs, finding: medianMs > TURN_MAX_MS ? finding : undefined };
}

function describe({ method, path, body, user, group }: Draft, shown: number): string {
  const [text, before] = [JSON.stringify(body), JSON.stringify([user, group])];
  return `${method} ${path} with ${text.length} characters (${text.slice(0, shown)}) on ${before.length} (${before.slice(0, shown)})`;
}
