import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import express, { type RequestHandler } from 'express';
import { request } from 'undici';
import { listenLocally } from '../support/listen.ts';

/**
 * What the numbers of the bridge are compared with, in a process of its own so that it is pinned like the bridge:
 * `node test/bench/yardstick-server.ts --folder <path> --answer <JSON> [--call <URL>]`. Prints one JSON line, `{ url, wireUrl }`.
 *
 * | request | what it costs |
 * |---|---|
 * | `GET url/bare` | express, and the answer as JSON |
 * | `GET url/read/{0..9999}` | express, and one prepared read by key: the rows hold the answer |
 * | `GET url/page` | express, and one prepared read of 100 rows, joined to one text: the rows hold the answer |
 * | `POST url/commits` | express, and two commits of one row, each synced to the disk |
 * | `POST url/write` | express, its body, a read by key, a commit of the row and of a call, the call, a commit of the row and the call's end |
 * | `GET url/commit-rate?ms=…` | such commits one after another for so long; answers `{ commitsPerSecond }` |
 * | `GET wireUrl` | no server: a socket that answers whatever arrives with the same bytes, to learn what the client can do |
 */
const rowsMax = 10_000;

const { values } = parseArgs({
  options: { folder: { type: 'string' }, answer: { type: 'string' }, call: { type: 'string' } },
});
if (values.folder === undefined || values.answer === undefined) {
  throw new Error('--folder and --answer are needed');
}
const { answer } = values;
const db = openDatabase(join(values.folder, 'yardstick.db'), answer);
const urls = {
  url: await listen(createServer(createApp(db, answer))),
  wireUrl: await listen(createWireServer(answer)),
};
process.stdout.write(`${JSON.stringify(urls)}\n`);

/** As the bridge's own store is opened: what is committed survives a loss of power. */
function openDatabase(file: string, row: string): DatabaseSync {
  const opened = new DatabaseSync(file);
  opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  opened.exec('CREATE TABLE answers (id INTEGER PRIMARY KEY, doc TEXT NOT NULL) STRICT');
  opened.exec('CREATE TABLE notes (id TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT');
  const insert = opened.prepare('INSERT INTO answers (id, doc) VALUES (?, ?)');
  opened.exec('BEGIN');
  for (let id = 0; id < rowsMax; id += 1) insert.run(id, row);
  opened.exec('COMMIT');
  return opened;
}

function createApp(database: DatabaseSync, text: string): RequestListener {
  const document: unknown = JSON.parse(text);
  const read = database.prepare('SELECT doc FROM answers WHERE id = ?');
  const readPage = database.prepare('SELECT doc FROM answers WHERE id > ? ORDER BY id LIMIT 100');
  const insert = database.prepare('INSERT INTO notes (id, doc) VALUES (?, ?)');
  const app = express();
  app.get('/bare', (_req, res) => {
    res.json(document);
  });
  app.get('/read/:id', (req, res) => {
    res.type('application/json').send(read.get(Number(req.params.id))?.doc);
  });
  app.get('/page', (_req, res) => {
    const docs = readPage.all(4711).map(({ doc }) => doc);
    res.type('application/json').send(`{"Resources":[${docs.join()}]}`);
  });
  app.post('/commits', (_req, res) => {
    for (const note of ['first', 'second']) insert.run(randomUUID(), note);
    res.json(document);
  });
  app.post('/write', express.json({ type: '*/*' }), toWriteHandler(database, document));
  app.get('/commit-rate', (req, res) => {
    const startedAt = performance.now();
    const endsAt = startedAt + Number(req.query.ms);
    let commits = 0;
    for (; performance.now() < endsAt; commits += 1) insert.run(randomUUID(), text);
    res.json({ commitsPerSecond: (commits / (performance.now() - startedAt)) * 1_000 });
  });
  return app;
}

/** What a write that is to survive a crash and reach another service cannot do without. */
function toWriteHandler(database: DatabaseSync, document: unknown): RequestHandler {
  const read = database.prepare('SELECT doc FROM answers WHERE id = ?');
  const update = database.prepare('UPDATE answers SET doc = ? WHERE id = ?');
  const insert = database.prepare('INSERT INTO notes (id, doc) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM notes WHERE id = ?');
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  let written = 0;
  return async (req, res) => {
    written += 1;
    const row = written % rowsMax;
    const doc = String(read.get(row)?.doc);
    const callId = randomUUID();
    begin.run();
    update.run(doc, row);
    insert.run(callId, JSON.stringify(req.body));
    commit.run();
    await callService(JSON.stringify(req.body));
    begin.run();
    update.run(doc, row);
    remove.run(callId);
    commit.run();
    res.json(document);
  };
}

async function callService(body: string): Promise<void> {
  if (values.call === undefined) throw new Error('--call is needed');
  const answer = await request(values.call, { method: 'PATCH', body });
  await answer.body.json();
}

function createWireServer(text: string): Server {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  const bytes = Buffer.from(head + text);
  return createSocketServer((socket) => {
    // One request at a time on a connection, and each fits in one packet: none needs to be parsed.
    socket.on('data', () => socket.write(bytes)).on('error', () => socket.destroy());
  });
}

async function listen(server: Server): Promise<string> {
  const port = await listenLocally(server);
  return `http://127.0.0.1:${port}`;
}
