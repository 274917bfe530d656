import { writeFileSync } from 'node:fs';
import { z } from 'zod';

/** Records where a process spends its time, which functions it enters, and how much its heap holds. */
export interface Profiler {
  start(): Promise<void>;
  /** Writes what was recorded since `start`, for Chrome's developer tools or any reader of `.cpuprofile`. */
  stopAndWrite(file: string): Promise<void>;
  /** Begins to count calls. Nothing is inlined from then on, so that each of them counts. */
  startCounting(): Promise<void>;
  /** The functions that were entered since the last time, or since counting began. */
  takeEntered(): Promise<EnteredFunction[]>;
  collectGarbage(): Promise<void>;
  /** Bytes of the heap that are in use, with the garbage that is not collected yet. */
  readHeapUsed(): Promise<number>;
  close(): void;
}

/** A function that was entered. */
export interface EnteredFunction {
  /** URL of its file. */
  readonly url: string;
  /** Empty: it has none. */
  readonly name: string;
  /** Where it begins in its file. */
  readonly offset: number;
}

const reply = z.object({ id: z.number(), result: z.record(z.string(), z.unknown()) });
const usage = z.object({ usedSize: z.number() });
const range = z.object({ startOffset: z.number(), count: z.number() });
const coverage = z.array(
  z.object({
    url: z.string(),
    functions: z.array(
      z.object({ functionName: z.string(), ranges: z.tuple([range]).rest(range) }),
    ),
  }),
);

/**
 * Connects to the inspector of a process that was started with `--inspect`.
 * @param output what it wrote to stderr: Node prints the inspector's address there.
 * @throws Error when there is no such address, or nobody listens.
 * @see https://chromedevtools.github.io/devtools-protocol/v8/Profiler/ (read 2026-11-02)
 */
export async function connectProfiler(output: string): Promise<Profiler> {
  const address = /^Debugger listening on (ws:\S+)$/m.exec(output)?.[1];
  if (address === undefined) throw new Error('the process has no inspector');
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error(`cannot reach ${address}`)));
  });
  let sent = 0;
  const call = (method: string, params: object = {}) => {
    sent += 1;
    return ask(socket, { id: sent, method, params });
  };
  await call('Profiler.enable');
  return {
    start: async () => void (await call('Profiler.start')),
    stopAndWrite: async (file) => {
      const { profile } = await call('Profiler.stop');
      writeFileSync(file, JSON.stringify(profile));
    },
    startCounting: async () => {
      await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    },
    collectGarbage: async () => void (await call('HeapProfiler.collectGarbage')),
    readHeapUsed: async () => usage.parse(await call('Runtime.getHeapUsage')).usedSize,
    takeEntered: async () => toEntered(await call('Profiler.takePreciseCoverage')),
    close: () => socket.close(),
  };
}

function toEntered({ result }: Record<string, unknown>): EnteredFunction[] {
  return coverage.parse(result).flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName: name, ranges: [whole] }) => {
      const { startOffset: offset, count } = whole;
      return count === 0 ? [] : [{ url, name, offset }];
    }),
  );
}

function ask(
  socket: WebSocket,
  { id, ...request }: { readonly id: number; readonly method: string; readonly params: object },
): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const onMessage = ({ data }: MessageEvent) => {
      const answer = reply.safeParse(JSON.parse(String(data)));
      if (answer.data?.id !== id) return;
      socket.removeEventListener('message', onMessage);
      resolve(answer.data.result);
    };
    socket.addEventListener('message', onMessage);
    socket.send(JSON.stringify({ id, ...request }));
  });
}
