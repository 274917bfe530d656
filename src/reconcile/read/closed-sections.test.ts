import { expect, onTestFinished, test } from 'vitest';
import { describeCompany, describeStored } from '../../../test/support/company.ts';
import { createReadForTest, readAll, startCompany } from '../../../test/support/first-read.ts';
import { describeBridges } from '../../../test/support/stores.ts';
import { tamperWith, withEntries } from '../../../test/support/tampering-proxy.ts';
import { readSections, saveSection } from '../sections.ts';

const seed = { users: 40, groups: 3 };

describeBridges('first read of closed sections', ({ makeStore }) => {
  test.each([
    { section: 'users', status: 403 },
    { section: 'groups', status: 402 },
    { section: 'companyUsers', status: 403 },
  ] as const)('$section refused with $status: the rest is read', async ({ section, status }) => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    sandbox.faults.refuse(section, status);

    const { firstRead, told } = await readAll(sandbox, store);

    expect(firstRead.state()).toEqual({ kind: 'finished', unread: [section] });
    expect(told.sections).toMatchObject([{ section, up: false }]);
    expect((await readSections({ store }))[section]?.problem).toMatchObject({
      code: 'not-permitted',
      status,
    });
    const people = await store.read.selectFrom('users').selectAll().execute();
    const groups = await store.read.selectFrom('groups').selectAll().execute();
    expect(people).toHaveLength(seed.users + 1);
    expect(groups).toHaveLength(section === 'groups' ? 0 : seed.groups);
  });

  test.each(['users', 'groups', 'companyUsers'] as const)(
    '%s that open later are read then, and only then are they open',
    async (section) => {
      const store = await makeStore();
      const sandbox = await startCompany({ seed });
      sandbox.service.setRole('user00012@example.com', 1);
      sandbox.faults.refuse(section, 403);
      const { firstRead, told, idle, passRest } = await readAll(sandbox, store);
      sandbox.calls.reset();
      passRest();
      await idle();
      expect(sandbox.calls.count()).toBe(1);
      expect(firstRead.state()).toEqual({ kind: 'finished', unread: [section] });

      sandbox.faults.allow(section);
      passRest();
      await idle();

      expect(firstRead.state()).toEqual({ kind: 'finished', unread: [] });
      expect(told.sections).toHaveLength(2);
      expect(told.sections.at(-1)).toEqual({ section, up: true, unread: [] });
      expect(await describeStored(store)).toEqual(describeCompany(sandbox));
    },
  );

  test('groups get their members when nobody could be read before', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    sandbox.faults.refuse('users', 403);
    sandbox.faults.refuse('companyUsers', 403);
    const { firstRead, idle, passRest } = await readAll(sandbox, store);
    expect(firstRead.finished).toBe(true);
    expect(sandbox.calls.count({ operation: 'groupUsers.getListOfGroupUsers' })).toBe(0);

    sandbox.faults.clear();
    passRest();
    await idle();

    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
  });

  test('members that REST refuses are read through SCIM, group by group', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ shape: { listCarriesMembers: false }, seed });
    sandbox.faults.refuse('members', 403);

    const { firstRead } = await readAll(sandbox, store);

    expect(firstRead.state()).toEqual({ kind: 'finished', unread: [] });
    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
  });

  test('a restart asks a closed section at once', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    sandbox.faults.refuse('groups', 403);
    await (await readAll(sandbox, store)).firstRead.stop();
    sandbox.faults.allow('groups');

    const { firstRead, told } = await readAll(sandbox, store);

    expect(firstRead.state()).toEqual({ kind: 'finished', unread: [] });
    expect(told.sections).toMatchObject([{ section: 'groups', up: true }]);
    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
  });

  test('a section that was read and closed later takes one call to open', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    const { deps, told, idle, passRest } = await readAll(sandbox, store);
    await saveSection(deps, 'groups', { code: 'not-permitted', words: 'no', status: 403 });
    sandbox.calls.reset();

    passRest();
    await idle();

    expect(sandbox.calls.count()).toBe(1);
    expect(told.sections.at(-1)).toMatchObject({ section: 'groups', up: true });
  });

  test('a list of people that never ends is never taken for everything', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({
      shape: { offsetIgnoredBy: ['scimUsers'] },
      seed: { users: 250 },
    });
    const { firstRead, told } = await createReadForTest(sandbox, store);
    await firstRead.start();

    const asked = sandbox.faults.add({
      operation: 'scim.getUsers',
      fault: { kind: 'delay', delayMs: 0 },
    });
    await asked.until(6);

    expect(firstRead.state()).toMatchObject({
      kind: 'running',
      step: 'users',
      problem: { code: 'incomplete', words: 'scim.getUsers: a page came twice' },
    });
    expect(told.failures[0]).toMatchObject({ step: 'users' });
    expect(firstRead.finished).toBe(false);
  });

  test('a list of roles in words that nobody knows is left out after three tries', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    const proxy = await tamperWith(sandbox);
    onTestFinished(() => proxy.stop());
    const isList = ({ pathname }: URL) => pathname.endsWith('/company/users');
    const call = withEntries((all) => all.map((one) => ({ ...Object(one), role: 'boss' })));
    proxy.setTamper((url, body) => (isList(url) ? call(body) : body));

    const { firstRead, told } = await readAll(proxy.service, store);

    expect(firstRead.state()).toEqual({ kind: 'finished', unread: ['companyUsers'] });
    expect(told.failures).toHaveLength(2);
    const { companyUsers } = await readSections({ store });
    expect(companyUsers?.problem).toMatchObject({ code: 'unreadable' });
  });

  test('a list of roles that is never complete is left out after three tries', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({
      shape: { offsetIgnoredBy: ['companyUsers'] },
      seed: { users: 250 },
    });

    const { firstRead, told } = await readAll(sandbox, store);

    expect(firstRead.state()).toEqual({ kind: 'finished', unread: ['companyUsers'] });
    expect(told.failures).toHaveLength(2);
    const { companyUsers } = await readSections({ store });
    expect(companyUsers?.problem).toMatchObject({ code: 'incomplete' });
  });
});
