import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { toLocalAddress } from '../app/ops-client.ts';
import { BridgeError } from '../domain/values.ts';
import { findStoreFile } from '../settings/load.ts';
import type { ApiOptions } from './api.ts';
import { commandOf } from './command.ts';
import { JSON_TEXT, pairOption, YES } from './options.ts';
import type { Send } from './requests.ts';
import type { MoveOptions } from './store-work.ts';

const HEALTH_MS = 3_000;

const store = () => import('./store-work.ts');

/** Commands that need no running bridge. What they do is loaded on demand: no other command needs it. */
export const own = {
  SERVE: commandOf({
    usage: 'serve',
    about: 'serve the bridge until SIGTERM or SIGINT',
    async run({ loadSettings, ...world }) {
      const { serve } = await import('../main.ts');
      return { code: await serve(loadSettings(), world) };
    },
  }),
  HEALTHCHECK: commandOf({
    usage: 'healthcheck',
    about:
      'ask the bridge on this machine (`HOST`, `OPS_PORT` or `PORT`) whether it is well; exits with 1 if not',
    async run({ loadSettings }) {
      const { host, port, ops } = loadSettings().settings;
      const url = `${toLocalAddress(host, ops.port ?? port)}/healthz`;
      const signal = AbortSignal.timeout(HEALTH_MS);
      const answer = await fetch(url, { signal }).catch((cause: unknown) => {
        throw new BridgeError('healthcheck-failed', `${url} does not answer`, { cause });
      });
      await answer.text();
      if (answer.status === 200) return { text: `${url} is well\n` };
      throw new BridgeError('healthcheck-failed', `${url} answered ${answer.status}`);
    },
  }),
  API: commandOf<ApiOptions>({
    usage: 'api',
    about: 'call any operation of the service, and print its answer as JSON',
    configure: (command) =>
      command
        .argument('[operation]', 'see --list')
        .usage('<group>.<operation> [options]')
        .helpOption(false),
    options: [
      pairOption('--path <name=value>', 'a parameter of the path'),
      pairOption('--query <name=value>', 'a parameter of the query; again for a list'),
      ['--body <json>', 'the body: JSON, @file, or - for standard input'],
      pairOption('--file <name=@path>', 'a file to upload; again for more'),
      ['--everything', 'send an operation that changes whatever fits without a condition'],
      ['--paginate', 'all pages of a list as one'],
      ['--list [group]', 'the operations, of one group or all'],
      ['-h, --help', 'this, or what the operation takes'],
    ],
    help: 'Examples, failures and exit codes: docs/command-line.md#call-the-service.',
    run: async (call) => (await import('./api.ts')).runApi(call),
  }),
  CHECK: commandOf({
    usage: 'check',
    about: 'look at the service without changing it: address, token, rights, page limits',
    options: [JSON_TEXT],
    help: 'Only reads are sent to the service, at the rate of upstream.requestsPerSecond.',
    run: async (call) => (await import('./check.ts')).runCheck(call),
  }),
  BACKUP: commandOf<{ readonly file: string }>({
    usage: 'backup <file>',
    about: 'write the store into a new file, while the bridge goes on (SQLite)',
    help: 'For a store on PostgreSQL use pg_dump. Restore it: docs/recovery.md#restore-a-backup.',
    run: async (call) => (await store()).backUp(call),
  }),
  RESTORE: commandOf<{ readonly file?: string }>({
    usage: 'restore [file]',
    about:
      'put a backup in the place of the store, or mark the store as a backup; the bridge must not run',
    options: [YES],
    run: async (call) => (await store()).restore(call),
  }),
  MIGRATE_STORE: commandOf<MoveOptions>({
    usage: 'migrate-store',
    about: 'move the store from SQLite to PostgreSQL; the bridge must not run',
    options: [
      new Option('--to <url>', 'postgres://user:password@host/database, empty').conflicts([
        'toFile',
        'undo',
      ]),
      ['--to-file <file>', 'a file with that address, so that no list of processes shows it'],
      ['--undo', 'make the file the store again, when no bridge has run on PostgreSQL'],
      YES,
    ],
    help: 'Step by step: docs/install.md#from-sqlite-to-postgresql.',
    run: async (call) => (await store()).migrateStore(call),
  }),
};

/** Makes a token through the bridge, or in a store that no bridge on this machine has; a new store has to be named. */
export const makeToken: Send = async (context, given) => {
  const { settings, shown } = context.loadSettings();
  const { url, token, commandToken } = settings.ops;
  const mayAsk = url !== undefined || (token ?? commandToken) !== undefined;
  const client = mayAsk ? context.connect() : undefined;
  if (client && (url !== undefined || (await client.isAnswering())))
    return client.send('POST', '/tokens', given);
  const { value, from } = shown.find(({ name }) => name === 'database.url') ?? {};
  const place = findStoreFile(settings) ?? value;
  if (from === 'default' && !existsSync(String(place)))
    throw new BridgeError('no-store', `no store is at ${place}: set OPS_URL or DATABASE_URL`);
  // Loaded on demand: it opens a store.
  const { makeTokenInStore } = await import('../app/first-access.ts');
  const made = await makeTokenInStore(settings, given);
  context.writeError(`Made in ${place}. A bridge with another store does not know it.\n`);
  return made;
};
