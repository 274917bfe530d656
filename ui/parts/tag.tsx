import type { Tone } from '../../src/ops/lists/list.ts';

/** A word for a state. The word says it; the colour only helps. */
export function Tag({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return (
    <span className="tag" data-tone={tone}>
      {text}
    </span>
  );
}

/** Number of things that wait, beside the name of their page. */
export function Count({ text }: { readonly text: string }) {
  return (
    <span className="tag" data-tone="waiting">
      {text}
      <span className="hidden"> waiting</span>
    </span>
  );
}
