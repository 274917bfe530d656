import { toFigure } from './markdown-table.ts';

const WIDTH = 960;
const PANEL = { left: 60, height: 110, gap: 50 } as const;

/** One chart of a picture, with its own scale up from 0. */
export interface Panel {
  readonly title: string;
  /** The highest value, at its upper edge. */
  readonly most: number;
  /** Draws its content as SVG. */
  draw(places: Places): string;
}

/** Where a value is in the picture. */
export interface Places {
  x(value: number): string;
  y(value: number): string;
}

/** What all charts of a picture have below: from 0 to `most`, with words at some places. */
export interface Axis {
  readonly most: number;
  readonly marks: readonly { readonly at: number; readonly label: string }[];
}

/** Charts below each other as SVG, in colours for light and dark pages. Pure. */
export function toPicture(panels: readonly Panel[], axis: Axis): string {
  const height = panels.length * (PANEL.height + PANEL.gap);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#868e96">
${panels.map((panel, index) => toPanel(index, panel, axis)).join('\n')}
</svg>
`;
}

/** A line through points, each x and y. Pure. */
export function toCurve(points: readonly (readonly [number, number])[], { x, y }: Places): string {
  const places = points.map(([across, up]) => `${x(across)},${y(up)}`).join(' ');
  return `<polyline fill="none" stroke="#3b82f6" stroke-width="1.5" points="${places}"/>`;
}

function toPanel(index: number, { title, most, draw }: Panel, axis: Axis): string {
  const top = index * (PANEL.height + PANEL.gap) + 20;
  const bottom = top + PANEL.height;
  const right = WIDTH - 10;
  const places: Places = {
    x: (value) => (PANEL.left + (value / axis.most) * (right - PANEL.left)).toFixed(1),
    y: (value) => (bottom - (most <= 0 ? 0 : (value / most) * PANEL.height)).toFixed(1),
  };
  const marks = axis.marks.map(
    ({ at, label }) =>
      `<text x="${places.x(at)}" y="${bottom + 16}" text-anchor="middle">${label}</text>`,
  );
  return `<text x="${PANEL.left}" y="${top - 6}">${title}</text>
<path d="M${PANEL.left} ${top}V${bottom}H${right}" fill="none" stroke="#adb5bd"/>
<text x="${PANEL.left - 6}" y="${top + 10}" text-anchor="end">${toFigure(most)}</text>
<text x="${PANEL.left - 6}" y="${bottom}" text-anchor="end">0</text>
${marks.join('')}
${draw(places)}`;
}
