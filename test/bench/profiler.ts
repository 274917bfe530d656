import { writeFileSync } from 'node:fs';
import { z } from 'zod';

/** Records where a process spends its time. */
export interface Profiler {
  start(): Promise<void>;
  /** Writes what was recorded since `start`, for Chrome's developer tools or any reader of `.cpuprofile`. */
  stopAndWrite(file: string): Promise<void>;
  close(): void;
}

const reply = z.object({ id: z.number(), result: z.record(z.string(), z.unknown()) });

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
  const call = (method: string) => {
    sent += 1;
    return ask(socket, sent, method);
  };
  await call('Profiler.enable');
  return {
    start: async () => void (await call('Profiler.start')),
    stopAndWrite: async (file) => {
      const { profile } = await call('Profiler.stop');
      writeFileSync(file, JSON.stringify(profile));
    },
    close: () => socket.close(),
  };
}

function ask(socket: WebSocket, id: number, method: string): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const onMessage = ({ data }: MessageEvent) => {
      const answer = reply.safeParse(JSON.parse(String(data)));
      if (answer.data?.id !== id) return;
      socket.removeEventListener('message', onMessage);
      resolve(answer.data.result);
    };
    socket.addEventListener('message', onMessage);
    socket.send(JSON.stringify({ id, method }));
  });
}
