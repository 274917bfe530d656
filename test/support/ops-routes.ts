import { opsRoutes } from '../../src/ops/document.ts';
import { opsSchemas } from '../../src/ops/schemas/schemas.ts';

/** The description of a request below `/ops`. @throws Error when there is none */
function getOpsRoute(method: string, path: string): (typeof opsRoutes)[number] {
  const [asked = ''] = path.split('?');
  const fitting = opsRoutes.filter(
    (route) => route.method === method.toLowerCase() && toPattern(route).test(asked),
  );
  // As the bridge does it: what is written out goes before what has a parameter.
  const [route] = fitting.toSorted((a, b) => countBraces(a) - countBraces(b));
  if (route === undefined) throw new Error(`nothing describes ${method} /ops${asked}`);
  return route;
}

/** Compares an answer with its description. @throws Error when it is another */
export function assertDescribed(
  method: string,
  path: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): void {
  const name = getOpsRoute(method, path).answers[status] ?? (status < 400 ? undefined : 'Problem');
  if (name === undefined)
    throw new Error(`nothing says that ${method} /ops${path} may be answered with ${status}`);
  const { error } = opsSchemas[name].safeParse(body);
  if (error) throw new Error(`${method} /ops${path} (${status}) is no ${name}: ${error.message}`);
}

function toPattern({ path }: (typeof opsRoutes)[number]): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function countBraces({ path }: (typeof opsRoutes)[number]): number {
  return path.split('{').length;
}
