/** A result as a picture, drawn on the device: the felt above with the game and who has won, the points below. */
import type { Summary } from "./ending";
import { parts, type Mood } from "./faces";
import { signed } from "./language.svelte";

const WIDTH = 1080;
const EDGE = 56;
const HEAD = 484;
const LINE = 116;
/** Over the first line of points, and under the last. */
const SIGNS = 84;
const FOOT = 12;

/** The page's own colours and letters, as they are at this moment: light or dark. */
interface Paint {
  token: (name: string) => string;
  font: (weight: number, size: number) => string;
}

function paint(): Paint {
  const style = getComputedStyle(document.documentElement);
  return {
    token: (name) => style.getPropertyValue(`--${name}`).trim(),
    font: (weight, size) => `${weight} ${size}px ${style.fontFamily}`,
  };
}

const cardHeight = (seats: number): number => SIGNS + seats * LINE + FOOT;
const height = (seats: number): number => HEAD + EDGE + cardHeight(seats);

/** Draw it. The faces come in the order of the standings; one that is missing leaves the first letter of its name. */
export function draw(canvas: HTMLCanvasElement, summary: Summary, faces: (CanvasImageSource | null)[] = []): void {
  canvas.width = WIDTH;
  canvas.height = height(summary.standings.length);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const use = paint();
  pen.fillStyle = use.token("page");
  pen.fillRect(0, 0, WIDTH, canvas.height);
  drawHead(pen, use, summary, faces);
  drawPoints(pen, use, summary, faces);
}

function drawHead(
  pen: CanvasRenderingContext2D,
  use: Paint,
  summary: Summary,
  faces: (CanvasImageSource | null)[],
): void {
  const [left, top, wide, high] = [EDGE / 2, EDGE / 2, WIDTH - EDGE, HEAD - EDGE / 2];
  block(pen, use.token("wood"), left, top, wide, high, 56);
  block(pen, use.token("felt"), left + 12, top + 12, wide - 24, high - 24, 46);
  pen.textAlign = "center";
  words(pen, summary.game, use.font(800, 48), use.token("felt-soft"), WIDTH / 2, 91, wide - 100);
  const winners = summary.standings.flatMap((one, i) => (one.won || summary.standings.length === 1 ? [i] : []));
  const size = 150;
  winners.forEach((at, n) => {
    const x = WIDTH / 2 + (n - (winners.length - 1) / 2) * (size + 16);
    drawFace(pen, use, summary.standings[at]!.name, faces[at] ?? null, x, 232, size);
    if (summary.standings.length > 1) drawCrown(pen, use, x, 162, 84);
  });
  words(pen, summary.title, use.font(800, 76), use.token("go"), WIDTH / 2, 357, wide - 100);
  words(pen, summary.reason, use.font(600, 36), use.token("felt-ink"), WIDTH / 2, 420, wide - 100);
}

function drawPoints(
  pen: CanvasRenderingContext2D,
  use: Paint,
  summary: Summary,
  faces: (CanvasImageSource | null)[],
): void {
  const top = HEAD + EDGE / 2;
  const rows = summary.colours.length;
  block(pen, use.token("paper"), EDGE / 2, top, WIDTH - EDGE, cardHeight(summary.standings.length), 44);
  const [first, last] = [386, 778];
  const failed = last + 60;
  const step = (last - first) / rows;
  const place = (i: number): number => first + step * (i + 0.5);
  summary.colours.forEach((colour, i) => drawSign(pen, use.token(`${colour}-ink`), colour, place(i), top + 46, 34));
  words(pen, signed(-summary.cost), use.font(700, 34), use.token("bad"), failed, top + 46, 96);
  summary.standings.forEach((one, i) => {
    const y = top + SIGNS + i * LINE + LINE / 2;
    drawFace(pen, use, one.name, faces[i] ?? null, EDGE + 46, y, 88);
    if (one.won && summary.standings.length > 1) drawCrown(pen, use, EDGE + 46, y - 46, 48);
    pen.textAlign = "left";
    words(pen, one.name, use.font(one.won ? 800 : 600, 42), use.token("ink"), EDGE + 108, y, first - EDGE - 118);
    pen.textAlign = "center";
    one.rows.forEach((points, n) => {
      block(pen, use.token(`${summary.colours[n]}-cell`), place(n) - 42, y - 38, 84, 76, 22);
      words(pen, signed(points), use.font(700, 42), use.token(`${summary.colours[n]}-ink`), place(n), y, 76);
    });
    words(pen, signed(one.penalty), use.font(700, 42), use.token(one.penalty ? "bad" : "soft"), failed, y, 96);
    pen.textAlign = "right";
    words(pen, signed(one.total), use.font(800, 60), use.token(one.won ? "now" : "ink"), WIDTH - EDGE - 8, y, 150);
  });
}

const CAPITAL = 0.62; // of the size of a letter

/** The middle of its capitals and figures is at `y`. */
function words(
  pen: CanvasRenderingContext2D,
  text: string,
  font: string,
  colour: string,
  x: number,
  y: number,
  wide: number,
): void {
  pen.font = font;
  const small = Math.min(1, wide / pen.measureText(text).width); // what is too long is set smaller, not squeezed
  const size = Math.floor(parseInt(font.split(" ")[1]!) * small);
  pen.font = font.replace(/\d+px/, `${size}px`);
  pen.fillStyle = colour;
  pen.fillText(text, x, y + (size * CAPITAL) / 2, wide);
}

function block(
  pen: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  w: number,
  h: number,
  round: number,
): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, w, h, round);
  pen.fill();
}

function drawFace(
  pen: CanvasRenderingContext2D,
  use: Paint,
  name: string,
  face: CanvasImageSource | null,
  x: number,
  y: number,
  size: number,
): void {
  if (face) {
    pen.drawImage(face, x - size / 2, y - size / 2, size, size);
    return;
  }
  block(pen, use.token("now-pale"), x - size / 2, y - size / 2, size, size, size / 2);
  pen.textAlign = "center";
  words(pen, [...name][0] ?? "", use.font(800, size / 2), use.token("now"), x, y, size);
}

function drawCrown(pen: CanvasRenderingContext2D, use: Paint, x: number, y: number, wide: number): void {
  shape(pen, use.token("go"), x, y, wide, [
    [-0.42, 0.25],
    [-0.5, -0.22],
    [-0.23, -0.03],
    [0, -0.38],
    [0.23, -0.03],
    [0.5, -0.22],
    [0.42, 0.25],
  ]);
}

function drawSign(
  pen: CanvasRenderingContext2D,
  ink: string,
  colour: string,
  x: number,
  y: number,
  size: number,
): void {
  if (colour === "R")
    shape(pen, ink, x, y, size, [
      [0, -0.42],
      [0.5, 0.45],
      [-0.5, 0.45],
    ]);
  else if (colour === "Y") block(pen, ink, x - size * 0.45, y - size * 0.45, size * 0.9, size * 0.9, size);
  else if (colour === "G") block(pen, ink, x - size * 0.42, y - size * 0.42, size * 0.84, size * 0.84, 4);
  else
    shape(pen, ink, x, y, size, [
      [0, -0.5],
      [0.5, 0],
      [0, 0.5],
      [-0.5, 0],
    ]);
}

function shape(
  pen: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  size: number,
  points: [number, number][],
): void {
  pen.fillStyle = colour;
  pen.beginPath();
  for (const [dx, dy] of points) pen.lineTo(x + dx * size, y + dy * size);
  pen.fill();
}

/** A face as an image, to be drawn into the picture. */
export function portrait(face: string | null, mood: Mood): Promise<HTMLImageElement | null> {
  const { disc, head, eyes, hair } = parts(face, mood);
  const drawn = disc + head + eyes + hair;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="256" height="256">${drawn}</svg>`;
  const image = new Image();
  return new Promise((resolve) => {
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
}

export const asPng = (canvas: HTMLCanvasElement): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
