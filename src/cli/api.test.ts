import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import { expect, test } from 'vitest';
import type { TestBridge } from '../../test/support/bridge.ts';
import { bridgeForTest } from '../../test/support/bridge.ts';
import { runAlone } from '../../test/support/command.ts';
import { forTest, makeFolder } from '../../test/support/lifetimes.ts';
import { serve } from '../../test/support/local-server.ts';
import { readForm, startRecording } from '../../test/support/recording-server.ts';
import type { Credential } from '../domain/credential.ts';
import { allOperations, apiRoutes } from '../ops/api/routes.ts';
import { answerErrors, requireOperator } from '../ops/http/operator.ts';
import { createRouteRouter } from '../ops/http/route.ts';
import { connect } from '../upstream/testing/connect.ts';
import { sendJson, startService } from '../upstream/testing/service.ts';

const OPS_TOKEN = 'token-of-an-operator';

type Env = Readonly<Record<string, string>>;

async function api(args: readonly string[], env: Env, input = '') {
  const files = { 'body.json': '{"name":"From a file"}' };
  const { code, out, err } = await runAlone(['api', ...args], env, { files, input });
  return { code, out, err };
}

async function openBridge(): Promise<{ sandbox: TestBridge['sandbox']; env: Env }> {
  const bridge = await bridgeForTest({ settings: { OPS_TOKEN } });
  return { sandbox: bridge.sandbox, env: { OPS_URL: new URL(bridge.baseUrl).origin, OPS_TOKEN } };
}

const NOWHERE: Env = { OPS_URL: 'http://127.0.0.1:1', OPS_TOKEN };

async function serveBridge(url: string, token = 'token'): Promise<Env> {
  const transport = connect(url, { token });
  const leadership = { callForOperator: transport.call };
  const process = { events: { operatorCalled: () => undefined } };
  const operator: Credential = {
    ...{ id: 'settings-1', name: 'operator', purpose: 'operator' },
    ...{ profile: 'lenient', provider: 'default' },
  };
  const attempts = { failed: async () => undefined };
  const letIn = requireOperator({ access: Object({ find: async () => operator }), attempts });
  const app = express().use(
    '/ops',
    letIn,
    createRouteRouter(apiRoutes, Object({ leadership, process, store: {} }), (_req, _res, next) =>
      next(),
    ),
    answerErrors(() => undefined),
  );
  return { OPS_URL: (await forTest(serve(app))).url, OPS_TOKEN };
}

test('a call prints the answer of the service as JSON, and nothing else', async () => {
  const { sandbox, env } = await openBridge();

  const made = await api(['groups.createGroup', '--body', '{"name":"Pilots"}'], env);
  const { uid } = sandbox.service.getGroup('Pilots');
  const read = await api(['groups.getGroup', '--path', `uid=${uid}`], env);

  expect([made.code, made.err, read.code, read.err]).toEqual([0, '', 0, '']);
  expect(JSON.parse(made.out)).toMatchObject({ name: 'Pilots', uid });
  expect(JSON.parse(read.out)).toEqual(JSON.parse(made.out));
});

test('a body comes from a file or from standard input', async () => {
  const { sandbox, env } = await openBridge();

  const fromFile = await api(['groups.createGroup', '--body', '@body.json'], env);
  const piped = await api(['groups.createGroup', '--body', '-'], env, '{"name":"Piped"}');

  expect([fromFile.code, piped.code]).toEqual([0, 0]);
  expect(sandbox.service.groups().map(({ name }) => name)).toEqual(['From a file', 'Piped']);
});

test('values have the types of their parameters: numbers, truth, lists, and text that looks like a number', async () => {
  const service = await startService((res) => sendJson(res, 200, []));
  const values = ['limit=2', 'only_paid=false', 'query=007', 'group_ids=3,4', 'group_ids=5'];

  const listed = await api(
    ['companyUsers.getListOfUsers', ...values.flatMap((value) => ['--query', value])],
    await serveBridge(service.baseUrl),
  );

  expect(listed).toEqual({ code: 0, out: '[]\n', err: '' });
  const [{ url = '' } = {}] = service.seen;
  expect(url).toMatch(/\/company\/users\?limit=2&only_paid=false&query=007&group_ids=3%2C4%2C5$/);
});

test('--paginate prints all pages of a list as one', async () => {
  const { sandbox, env } = await openBridge();
  for (const name of ['Pilots', 'Crew', 'Ground']) sandbox.service.createGroup({ name });

  const args = ['scim.getGroups', '--query', 'count=2', '--paginate'];
  const { code, out } = await api(args, env);

  expect(code).toBe(0);
  const names = JSON.parse(out).map((one: unknown) => Object(one).displayName);
  expect(names).toEqual(['Pilots', 'Crew', 'Ground']);
  expect(sandbox.calls.count({ operation: 'scim.getGroups' })).toBeGreaterThan(1);
});

test('a list that may be incomplete is printed and ends with 2', async () => {
  // The same page for ever, as from a service that ignores the offset.
  const service = await startService((res) => sendJson(res, 200, [{ id: 1 }, { id: 2 }]));
  const args = ['companyUsers.getListOfUsers', '--query', 'limit=2', '--paginate'];

  const { code, out } = await api(args, await serveBridge(service.baseUrl));

  expect(code).toBe(2);
  expect(JSON.parse(out)).toEqual([{ id: 1 }, { id: 2 }]);
});

test('a failure is one line of JSON on standard error: what may work later ends with 75, what is refused with 1', async () => {
  const { sandbox, env } = await openBridge();
  const away = await api(['users.retrieveCurrentUser'], await serveBridge('http://127.0.0.1:1'));
  const direct = await serveBridge(sandbox.url, 'of-a-stranger');
  const stranger = await api(['users.retrieveCurrentUser'], direct);
  const wrong = await api(['groups.createGroup', '--body', '{"name":7}'], env);
  const nobody = await api(['scim.getGroup', '--path', 'group_id=nobody'], env);

  expect([away.code, stranger.code, wrong.code, nobody.code]).toEqual([75, 1, 64, 1]);
  expect(nobody.out).toBe('');
  expect(nobody.err).toMatch(/^[^\n]+\n$/);
  const refused = { code: 'not-found', operation: 'scim.getGroup', status: 404, retry: 'never' };
  expect(JSON.parse(nobody.err)).toMatchObject({ ...refused, outcome: 'answered' });
  expect(JSON.parse(away.err)).toMatchObject({ code: 'connection', outcome: 'not-sent' });
  const { message, ...refusal } = JSON.parse(stranger.err);
  expect(refusal).toMatchObject({ code: 'credentials-refused', status: 401 });
  expect(message).toMatch(/^users\.retrieveCurrentUser: credentials-refused \(status 401\)/);
  expect(wrong.err).toContain('groups.createGroup: body.name must be string');
});

const LIST = 'groups.getListOfGroups';
const wrongUse = [
  { args: [], says: 'name an operation' },
  { args: ['groups.getGrup'], says: 'did you mean groups.getGroup?' },
  { args: ['getListOfGroupAdmins'], says: 'did you mean groupAdmins.getListOfGroupAdmins?' },
  { args: ['nothing.likeThis'], says: 'there is no operation nothing.likeThis\n' },
  { args: ['--list', 'groupUser'], says: 'did you mean groupUsers?' },
  { args: ['groups.getGroup', '--path', 'uid'], says: 'It is name=value' },
  { args: ['groups.createGroup', '--body', '{"name"'], says: '--body has to be a JSON object' },
  { args: ['groups.createGroup', '--body', '[]'], says: '--body has to be a JSON object' },
  { args: ['groups.createGroup', '--body', '@gone.json'], says: 'gone.json cannot be read' },
  { args: ['groups.createGroup', '--file', 'file=x'], says: 'has to be file=@path' },
  { args: ['groups.createGroup', '--file', 'file=@/gone'], says: '/gone cannot be read' },
  { args: ['groups.getGroup', '--path', 'uid=g', '--paginate'], says: 'leave --paginate out' },
  { args: [LIST, '--paginate', '--query', 'offset=20'], says: 'leave offset out' },
  { args: [LIST, '--paginate', '--query', 'limit=0'], says: 'at least one entry' },
  { args: ['groups.getGroup', '--unknown'], says: 'unknown option' },
];
for (const { args, says } of wrongUse) {
  test(`wrong use is 64 and sends nothing: api ${args.join(' ')}`, async () => {
    const { code, out, err } = await api(args, NOWHERE);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toContain(says);
  });
}

const TWICE = ['--query', 'limit=1', '--query', 'limit=2'];
const misfits = [
  { args: ['groups.getGroup', '--path', 'id=1'], says: 'groups.getGroup: path.uid is missing' },
  { args: [LIST, '--query', 'limit=ten'], says: `${LIST}: query.limit must be integer` },
  { args: [LIST, ...TWICE], says: `${LIST}: query.limit must be integer` },
  { args: [LIST, '--query', 'size=1'], says: `${LIST}: query.size is unknown` },
];
test('what does not fit the operation is 64, and the bridge sends nothing', async () => {
  const { sandbox, env } = await openBridge();
  const before = sandbox.calls.count();
  for (const { args, says } of misfits) {
    const { code, out, err } = await api(args, env);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toContain(says);
  }
  expect(sandbox.calls.count()).toBe(before);
});

test('--list prints operations as JSON, all or those of a group', async () => {
  const all = JSON.parse((await api(['--list'], {})).out);
  const { code, out } = await api(['--list', 'groupUsers'], {});

  expect(code).toBe(0);
  const path = '/groups/{group_uid}/users';
  const toRow = (name: string, method: string, more = '') => ({
    ...{ operation: `groupUsers.${name}`, method, path: `${path}${more}`, stage: 'beta' },
  });
  expect(JSON.parse(out)).toEqual([
    toRow('addUserToGroup', 'POST'),
    toRow('getListOfGroupUsers', 'GET'),
    toRow('removeUserFromGroup', 'DELETE', '/{user_id}'),
  ]);
  expect(all).toHaveLength(allOperations.length);
});

test('--help tells what the command takes, and with an operation what that takes', async () => {
  const command = await api(['--help'], {});
  const operation = await api(['groupUsers.addUserToGroup', '--help'], {});

  expect([command.code, operation.code]).toEqual([0, 0]);
  for (const word of ['--paginate', '--list', 'Exit codes', '75'])
    expect(command.out).toContain(word);
  expect(JSON.parse(operation.out)).toMatchObject({
    about: 'Adds a member; 409 means that the member is there already.',
    method: 'POST',
    path: '/groups/{group_uid}/users',
    pathParameters: { group_uid: 'string' },
    body: { 'user_id*': 'integer', operator_comment: 'string | null' },
  });
});

test('every operation has a help that names its method, its path and all it takes', async () => {
  for (const { id, method, path, query, body } of allOperations) {
    const { code, out } = await api([id, '--help'], {});
    expect(code).toBe(0);
    const row = { method, path, ...(query && { query }), ...(body && { body }) };
    expect(JSON.parse(out)).toMatchObject(row);
  }
});

test('files are uploaded with their names', async () => {
  const service = await forTest(startRecording());
  const folder = makeFolder();
  const path = join(folder, 'map.txt');
  writeFileSync(path, 'here be dragons');
  const card = ['restrictedAccessCardFiles.attachFileToCard', '--path', 'card_uid=c-1'];
  const comment = ['cardComments.addComment', '--path', 'card_id=1', '--body', '{"text":"see"}'];
  const env = await serveBridge(service.url);

  const ofCardCode = (await api([...card, '--file', `file=@${path}`], env)).code;
  const ofCommentCode = (await api([...comment, '--file', `files[]=@${path}`], env)).code;

  expect([ofCardCode, ofCommentCode]).toEqual([0, 0]);
  const forms = await Promise.all(service.recorded.map(readForm));
  const [ofCard, ofComment] = forms;
  expect(ofCard).toEqual(Object.entries({ file: 'here be dragons' }));
  expect(ofComment).toEqual(Object.entries({ text: 'see', 'files[]': 'here be dragons' }));
  for (const { body } of service.recorded) expect(body.toString()).toContain('"map.txt"');
});

test('a bridge that does not answer, or not this operator, ends with 1 and says so', async () => {
  const { env } = await openBridge();
  const asked = ['users.retrieveCurrentUser'];
  const stranger = await api(asked, { ...env, OPS_TOKEN: 'some-other-token-1234' });
  const away = await api(asked, NOWHERE);

  for (const ended of [stranger, away]) expect(ended).toMatchObject({ code: 1, out: '' });
  expect(stranger.err).toContain('the bridge answered 401');
  expect(away.err).toContain('is the bridge running?');
});
