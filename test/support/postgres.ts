import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

const ROOM_BYTES = 4 * 2 ** 30;

/** A PostgreSQL server of our own that forgets everything when it stops. */
export type ThrowAwayPostgres = NonNullable<Awaited<ReturnType<typeof startPostgres>>>;

interface Account {
  uid?: number;
  gid?: number;
}

/**
 * Starts a PostgreSQL on a free port of loopback, in a temporary folder, in memory where that is large: fast, not durable.
 * Works as root too, where the server runs as `nobody` because it refuses to be root.
 * @param onLog takes what the server logs once it is ready
 * @returns undefined when no server binaries are installed. They are looked for in `$PGBIN`, in Debian's
 * folders and on the path.
 */
export async function startPostgres(
  settings: readonly string[] = FAST,
  onLog: (text: string) => void = () => undefined,
) {
  const bin = findBinaries();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(findFastFolder(), 'scim-bridge-postgres-'));
  const account = ordinaryAccount();
  if (account.uid !== undefined && account.gid !== undefined)
    chownSync(folder, account.uid, account.gid);
  createCluster(bin, folder, account);
  const options = { bin, folder, account, port: await freePort(), settings, onLog };
  let server = await startServer(options);
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${options.port}/postgres`,
    /** Ends the server: `crash` as a lost process does, `order` as an operator does. What it holds stays. */
    down: (how: 'crash' | 'order') => end(how === 'crash' ? 'SIGQUIT' : 'SIGINT'),
    /** Starts it again after `down`, on the same port, as a standby until it is promoted. */
    async up(as?: 'standby') {
      if (as === 'standby') writeFileSync(join(folder, 'data/standby.signal'), '');
      server = await startServer(options);
    },
    /** Has the server answer nobody and close no connection, as a host does that has vanished. */
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
    async stop() {
      signalAll(server, 'SIGCONT');
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function signalAll({ pid = 0, exitCode, signalCode }: ChildProcess, signal: 'SIGSTOP' | 'SIGCONT') {
  if (exitCode !== null || signalCode !== null) return;
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const id of [String(pid), ...ids]) process.kill(Number(id), signal);
}

/** Where nothing reaches a disk, so that a server that flushes everything loses no time by it; where there is room. */
function findFastFolder(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > ROOM_BYTES ? memory : tmpdir();
}

function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const candidates = [
    process.env.PGBIN ?? '',
    ...newestFirst.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return candidates.find(
    (folder) =>
      folder !== '' && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

function ordinaryAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const idOfNobody = (flag: string) =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') };
}

function createCluster(bin: string, folder: string, account: Account): void {
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), ['-D', join(folder, 'data'), ...flags], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: 'pipe',
    ...account,
  });
}

interface ServerOptions {
  bin: string;
  folder: string;
  account: Account;
  port: number;
  settings: readonly string[];
  onLog: (text: string) => void;
}

const FAST = [
  'synchronous_commit=off',
  'full_page_writes=off',
  'autovacuum=off', // Nothing lives long enough to need it, and it would compete for the cores.
  'max_connections=300',
  'deadlock_timeout=50ms', // The tests provoke deadlocks; the default second would be spent waiting.
];

async function startServer(options: ServerOptions): Promise<ChildProcess> {
  const { bin, folder, account, port, settings, onLog } = options;
  const server = spawn(
    join(bin, 'postgres'),
    [
      ...['-D', join(folder, 'data'), '-p', String(port), '-k', folder, '-h', '127.0.0.1'],
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...account },
  );

  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      log += chunk;
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
    server.once('exit', (code) => reject(new Error(`postgres exited with ${code}: ${log}`)));
  });
  server.stderr.removeAllListeners('data').on('data', (chunk) => onLog(String(chunk)));

  return server;
}
