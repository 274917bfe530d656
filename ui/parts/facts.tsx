import type { Fact } from '../../src/ops/lists/details.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { PageLink } from './cell.tsx';
import { Words } from './words.tsx';

/** Facts as names and values. */
export function Facts({ items }: { readonly items: readonly Fact[] }) {
  return (
    <dl className="facts">
      {items.map(({ title, text, link }) => (
        <div key={title}>
          <dt>{toTitle(title)}</dt>
          <dd>{link ? <PageLink to={link} text={text} /> : <Words text={text} />}</dd>
        </div>
      ))}
    </dl>
  );
}
