import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('each count appears with its labels, in seconds', async () => {
  const metrics = createMetrics();
  metrics.countRequest({ method: 'GET', route: '/Users/:id', status: 200 }, 20);
  metrics.countRepairs('string-boolean', 3);
  metrics.countUpstreamCall({ operation: 'scim.addUser', status: 0 }, 1_000);
  metrics.countConverge({ resourceType: 'user', outcome: 'done' });
  const text = await metrics.registry.metrics();
  expect(text).toContain(
    'scim_bridge_http_request_duration_seconds_sum{method="GET",route="/Users/:id",status="200"} 0.02',
  );
  expect(text).toContain('scim_bridge_normaliser_repairs_total{kind="string-boolean"} 3');
  expect(text).toContain(
    'scim_bridge_upstream_call_duration_seconds_count{operation="scim.addUser",status="0"} 1',
  );
  expect(text).toContain('scim_bridge_converge_total{resource_type="user",outcome="done"} 1');
});

test('two sets of metrics do not mix', async () => {
  const [first, second] = [createMetrics(), createMetrics()];
  first.countRepairs('string-boolean', 1);
  expect(await second.registry.metrics()).not.toContain('string-boolean');
});
