import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

/** A PostgreSQL server of our own that forgets everything when it stops. */
export interface ThrowAwayPostgres {
  /** Of the database `postgres`, whose user may create others. */
  url: string;
  stop(): Promise<void>;
}

interface Account {
  uid?: number;
  gid?: number;
}

/**
 * Starts a PostgreSQL on a free port of loopback, in a temporary folder, without fsync: fast, not durable.
 * Works as root too, where the server runs as `nobody` because it refuses to be root.
 * @returns undefined when no server binaries are installed. They are looked for in `$PGBIN`, in Debian's
 * folders and on the path.
 */
export async function startPostgres(): Promise<ThrowAwayPostgres | undefined> {
  const bin = findBinaries();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-postgres-'));
  const account = ordinaryAccount();
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(folder, account.uid, account.gid);
  }
  createCluster(bin, folder, account);
  const port = await freePort();
  const stop = await startServer({ bin, folder, account, port });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
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
}

async function startServer(options: ServerOptions): Promise<() => Promise<void>> {
  const { bin, folder, account, port } = options;
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'autovacuum=off', // Nothing lives long enough to need it, and it would compete for the cores.
    'max_connections=300',
    'deadlock_timeout=50ms', // The tests provoke deadlocks; the default second would be spent waiting.
  ];
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
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`postgres exited with ${code}: ${log}`)));
  });
  server.stderr.removeAllListeners('data').resume();

  return async () => {
    const exited = once(server, 'exit');
    server.kill('SIGQUIT');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
}
