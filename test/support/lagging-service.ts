import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { forTest } from './lifetimes.ts';
import { tamperWith, withEntries } from './tampering-proxy.ts';

/** An owner and a user. */
export const [boss, clerk] = ['boss@example.com', 'clerk@example.com'];

/** A service whose list of company users leaves these two out, although a search finds them: so is a list that lags. */
export async function startLaggingService() {
  const sandbox = await forTest(startSandbox());
  sandbox.service.addUser({ email: boss, role: 1 });
  sandbox.service.addUser({ email: clerk });
  const proxy = await forTest(tamperWith(sandbox));
  const isLagging = (url: URL) =>
    url.pathname.endsWith('/company/users') && !url.searchParams.get('query');
  const leaveOut = withEntries((entries) =>
    entries.filter((entry) => ![boss, clerk].includes(String(Object(entry).email))),
  );
  proxy.setTamper((url, body) => (isLagging(url) ? leaveOut(body) : body));
  return proxy.service;
}
