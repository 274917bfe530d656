import type { SeededRandom } from '../interleavings/seeded-random.ts';
import type { Requester } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

/** Processes of the bridge on one store, each killed and started again as often as one likes. */
export interface Lives {
  /** One that lives, as soon as there is one. */
  wait(random: SeededRandom): Promise<Requester>;
  /** The same, where it is not only asked as a provider asks. */
  waitForProcess(random: SeededRandom): Promise<BridgeProcess>;
  /** Kills one of them and starts it again. */
  killOne(random: SeededRandom): Promise<void>;
  /** One that lives, for questions of an operator. */
  readonly first: BridgeProcess;
  /** @returns the exit codes of an orderly stop */
  stop(): Promise<(number | null)[]>;
  /** Whatever was printed, for findings. */
  output(): string;
}

interface Slot {
  process: BridgeProcess;
  /** Undefined while it is not ready. */
  requester: Requester | undefined;
}

/** How they are started. */
interface LivesOptions {
  readonly processes: number;
  /** Asked at every start. */
  readonly toEnv: () => Record<string, string>;
  /** Runs while one is dead. */
  readonly betweenLives?: () => Promise<void>;
}

/** Starts them. */
export async function startLives(
  folder: string,
  { processes, toEnv, betweenLives }: LivesOptions,
): Promise<Lives> {
  const slots: Slot[] = [];
  const waiting = new Set<() => void>();
  let printed = '';

  async function start(): Promise<BridgeProcess> {
    return startBridge({ folder, env: toEnv() });
  }

  async function open(slot: Slot): Promise<void> {
    await slot.process.ready();
    slot.requester = toRequester(slot.process);
    for (const wake of waiting) wake();
    waiting.clear();
  }

  for (let n = 0; n < processes; n += 1) {
    const slot: Slot = { process: await start(), requester: undefined };
    slots.push(slot);
    await open(slot);
  }

  async function waitForSlot(random: SeededRandom): Promise<Slot & { requester: Requester }> {
    for (;;) {
      const alive = slots.flatMap(({ process, requester }) =>
        requester === undefined ? [] : { process, requester },
      );
      if (alive.length > 0) return random.pick(alive);
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  }

  return {
    wait: async (random) => (await waitForSlot(random)).requester,
    waitForProcess: async (random) => (await waitForSlot(random)).process,
    async killOne(random) {
      const slot = random.pick(slots);
      slot.requester = undefined;
      await slot.process.kill();
      printed += slot.process.output();
      await betweenLives?.();
      slot.process = await start();
      await open(slot);
    },
    get first() {
      const [slot] = slots;
      if (slot === undefined) throw new Error('there is no process');
      return slot.process;
    },
    stop: () => Promise.all(slots.map(({ process }) => process.stop())),
    output: () => printed + slots.map(({ process }) => process.output()).join(''),
  };
}
