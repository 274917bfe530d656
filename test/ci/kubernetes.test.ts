import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { STOP_GRACE_MS } from '../../src/app/tenure.ts';
import { DRAIN_MAX_MS, SHUTDOWN_DELAY_MS } from '../../src/main.ts';
import { settingRows } from '../../src/settings/rows.ts';
import { settingsSchema } from '../../src/settings/schema.ts';
import { runAlone } from '../support/command.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { packageJson, read, root } from '../support/repository.ts';

const folder = join(root, 'config/kubernetes');
const generator = z.strictObject({ name: z.string(), envs: z.tuple([z.string()]) });
const kustomization = z
  .strictObject({
    apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
    kind: z.literal('Kustomization'),
    namespace: z.string(),
    labels: z.array(z.strictObject({ pairs: z.record(z.string(), z.string()) })),
    resources: z.array(z.string()),
    configMapGenerator: z.tuple([generator]),
    images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })),
  })
  .parse(parse(read('config/kubernetes/kustomization.yaml')));

const manifests = new Map(
  kustomization.resources.map((file) => [file, parse(read(`config/kubernetes/${file}`))]),
);

// That each has the types of its kind is compiled below.
const deployment = manifests.get('deployment.yaml');
const job = manifests.get('sweep.yaml').spec.jobTemplate.spec.template;
const services = ['service.yaml', 'ops-service.yaml'].map((file) => manifests.get(file));
const [bridge] = deployment.spec.template.spec.containers;
const [sweep] = job.spec.containers;

interface Named {
  readonly name: string;
  readonly value: string;
}

/** Where the types of each kind are, which were made from the API's own description. */
const kinds: Readonly<Record<string, string>> = {
  ...{ Ingress: 'networking/v1', NetworkPolicy: 'networking/v1', Namespace: 'core/v1' },
  ...{ ConfigMap: 'core/v1', Service: 'core/v1', Deployment: 'apps/v1' },
  ...{ PodDisruptionBudget: 'policy/v1', CronJob: 'batch/v1' },
};
const types = dirname(fileURLToPath(import.meta.resolve('kubernetes-types/package.json')));

/** The manifest as a program that compiles when it is one of its kind: unknown fields and wrong types are errors. */
function toProgram(manifest: { readonly kind: string }): string {
  const { kind } = manifest;
  const path = join(types, kinds[kind] ?? 'unknown');
  const value = JSON.stringify(manifest, null, 2);
  return `import type { ${kind} } from '${path}';\nexport const manifest: ${kind} = ${value};\n`;
}

async function compile(programs: ReadonlyMap<string, string>): Promise<ReadonlySet<string>> {
  const project = makeFolder();
  const files = [...programs].map(([name, program]) => {
    writeFileSync(join(project, `${name}.ts`), program);
    return `${name}.ts`;
  });
  const strict = { strict: true, noEmit: true, skipLibCheck: true };
  const compilerOptions = { ...strict, module: 'preserve', types: [] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const output = await new Promise<string>((resolve) => {
    const args = ['-p', '.', '--pretty', 'false'];
    execFile(tsc, args, { cwd: project }, (_error, out) => resolve(out));
  });
  return new Set(output.split('\n').flatMap((line) => /^([\w.-]+)\.ts\(/.exec(line)?.[1] ?? []));
}

test('each manifest is one of its kind', async () => {
  const programs = [...manifests].map(([file, manifest]) => [file, toProgram(manifest)] as const);
  const mistaken = { ...manifests.get('deployment.yaml'), replicas: 3 };

  const wrong = await compile(new Map([...programs, ['mistake', toProgram(mistaken)]]));

  expect([...wrong]).toEqual(['mistake']);
});

test('every manifest is part of the whole, or of what needs the Prometheus Operator', () => {
  for (const part of ['', 'monitoring', 'ingress']) {
    const files = readdirSync(join(folder, part)).filter((file) => file.endsWith('.yaml'));
    const whole = parse(read(join('config/kubernetes', part, 'kustomization.yaml')));
    const others = part === '' ? ['Chart.yaml', 'values.yaml'] : [];
    const named = [...whole.resources, 'kustomization.yaml', ...others];
    expect(files.toSorted()).toEqual(named.toSorted());
    expect(whole.namespace).toBe(kustomization.namespace);
  }
});

test('the ingress is one, and passes on what providers need and nothing else', async () => {
  const manifest = parse(read('config/kubernetes/ingress/ingress.yaml'));
  expect([...(await compile(new Map([['ingress', toProgram(manifest)]])))]).toEqual([]);
  const backend = { service: { name: 'scim-bridge', port: { name: 'http' } } };
  const paths = ['/scim/v2', '/oauth/token', '/.well-known/oauth-authorization-server'];
  const passedOn = paths.map((path) => expect.objectContaining({ path, backend }));
  expect(manifest).toMatchObject({ spec: { rules: [{ http: { paths: passedOn } }] } });
});

test('the Helm chart has the manifests of kustomize, but the namespace, which Helm creates', () => {
  const used = read('config/kubernetes/templates/scim-bridge.yaml').matchAll(/"([\w/-]+\.yaml)"/g);
  const parts = ['ingress/ingress', 'monitoring/service-monitor', 'monitoring/prometheus-rule'];
  const own = kustomization.resources.filter((file) => file !== 'namespace.yaml');
  const named = [...own, ...parts.map((part) => `${part}.yaml`)];
  expect([...used].map(([, file]) => file).toSorted()).toEqual(named.toSorted());
});

const hasKubectl = existsSync('/usr/bin/kubectl');

function render(change: (settings: string) => string): string {
  const copy = makeFolder();
  cpSync(folder, copy, { recursive: true });
  const file = join(copy, kustomization.configMapGenerator[0].envs[0]);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return execFileSync('/usr/bin/kubectl', ['kustomize', copy], { encoding: 'utf8' });
}

test.runIf(hasKubectl)('a changed setting starts new pods: its hash is in their names', () => {
  const findNames = (text: string) => new Set(text.match(/scim-bridge-[a-z0-9]{10}\b/g));
  const before = findNames(render((settings) => settings));
  const after = findNames(render((settings) => `${settings}LOG_LEVEL=warn\n`));

  expect(before.size).toBe(1);
  expect(after.size).toBe(1);
  expect(after).not.toEqual(before);
});

test('the bridges reach names, the service and PostgreSQL alone', () => {
  const { policyTypes, egress } = manifests.get('network-policy.yaml').spec;
  expect(policyTypes).toEqual(['Ingress', 'Egress']);
  type Rule = { ports: { port: number }[] };
  const ports = egress.flatMap((rule: Rule) => rule.ports.map(({ port }) => port));
  expect([...new Set(ports)]).toEqual([53, 443, 5_432]);
});

test('the image is that of this version, and every container has it', () => {
  const { version } = packageJson;
  expect(kustomization.images).toMatchObject([{ name: 'scim-bridge', newTag: version }]);
  const chart = parse(read('config/kubernetes/Chart.yaml'));
  expect(chart).toMatchObject({ version, appVersion: version });
  for (const { image } of [bridge, sweep]) expect(image).toBe('scim-bridge');
});

test('each secret is a file under a documented key, and every other variable is a setting', () => {
  const secrets = settingRows.filter((row) => row.fileVariable !== undefined);
  const open = settingRows.filter((row) => !secrets.includes(row)).map(({ variable }) => variable);
  const documented = [...read('docs/install.md').matchAll(/--from-file=([\w-]+)/g)];
  const files = documented.map(([, key]) => `/run/secrets/scim-bridge/${key}`);
  const used: Named[] = [...bridge.env, ...sweep.env];
  for (const { name, value } of used.filter((variable) => variable.value.startsWith('/run/'))) {
    expect(secrets.map(({ fileVariable }) => fileVariable)).toContain(name);
    expect(files).toContain(value);
  }
  expect(new Set(used.map(({ value }) => value)).isSupersetOf(new Set(files))).toBe(true);
  const data = parseEnv(read(`config/kubernetes/${kustomization.configMapGenerator[0].envs[0]}`));
  const plain = used.filter(({ value }) => !value.startsWith('/run/')).map(({ name }) => name);
  for (const name of [...plain, ...Object.keys(data)]) expect(open).toContain(name);
  for (const manifest of manifests.values()) expect(manifest).not.toMatchObject({ kind: 'Secret' });
});

test('nobody is root, only /tmp is written to, and what is not needed is taken away', () => {
  for (const { spec } of [deployment.spec.template, job]) {
    expect(spec.automountServiceAccountToken).toBe(false);
    const seccompProfile = { type: 'RuntimeDefault' };
    const nobody = { runAsNonRoot: true, runAsUser: 1000, seccompProfile };
    expect(spec.securityContext).toMatchObject(nobody);
    const least = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
    const container = { ...least, capabilities: { drop: ['ALL'] } };
    expect(spec.containers[0].securityContext).toEqual(container);
  }
});

test('a bridge lives by /healthz and gets requests by /readyz, at the port of providers', () => {
  const probe = (path: string) => ({ httpGet: { path, port: 'ops' } });
  expect(bridge.startupProbe).toMatchObject(probe('/healthz'));
  expect(bridge.livenessProbe).toMatchObject(probe('/healthz'));
  expect(bridge.readinessProbe).toMatchObject(probe('/readyz'));
  const opsPort = Number(bridge.env.find(({ name }: Named) => name === 'OPS_PORT')?.value);
  expect(bridge.ports).toEqual([
    { name: 'http', containerPort: settingsSchema.shape.port.parse(undefined) },
    { name: 'ops', containerPort: opsPort },
  ]);
});

test('an update keeps three ready, and each bridge has longer to stop than it takes at most', () => {
  const { replicas, strategy, template } = deployment.spec;
  const kept = { replicas, ...strategy.rollingUpdate };
  expect(kept).toEqual({ replicas: 3, maxUnavailable: 0, maxSurge: 1 });
  const graceMs = template.spec.terminationGracePeriodSeconds * 1_000;
  expect(graceMs).toBeGreaterThan(SHUTDOWN_DELAY_MS + DRAIN_MAX_MS + STOP_GRACE_MS);
});

test('services, budget and policy mean the bridges and not the jobs', () => {
  const selectors = [
    deployment.spec.selector.matchLabels,
    manifests.get('disruption-budget.yaml').spec.selector.matchLabels,
    manifests.get('network-policy.yaml').spec.podSelector.matchLabels,
    ...services.map(({ spec }) => spec.selector),
  ];
  const { labels: own } = deployment.spec.template.metadata;
  for (const selector of selectors) expect(selector).toEqual(own);
  expect(job.metadata.labels).not.toMatchObject(own);
  const names = bridge.ports.map(({ name }: Named) => name);
  for (const { spec } of services) expect(names).toContain(spec.ports[0]?.targetPort);
});

test('the job is a command of the image and asks where operators reach the bridges', async () => {
  const started = /"(dist\/[^"]+)", "serve"\]$/m.exec(read('Dockerfile'))?.[1];
  const [node, file, ...args] = sweep.command ?? [];
  expect([node, file]).toEqual(['node', started]);
  expect(await runAlone([...args, '--help'], {})).toMatchObject({ code: 0 });
  expect(await runAlone([...args, '--nothing'], {})).not.toMatchObject({ code: 0 });
  const ops = services.find(({ metadata }) => metadata.name === 'scim-bridge-ops');
  const address = `http://scim-bridge-ops:${ops?.spec.ports[0]?.port}`;
  expect(sweep.env).toContainEqual({ name: 'OPS_URL', value: address });
});
