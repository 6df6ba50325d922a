/** The server over HTTP: what it offers, new tables, finished rounds. */
import { forgetTable, randomHex, secret, tables } from "./memory";
import type { Position } from "./explore";
import type {
  Lobby,
  Made,
  Moment,
  MomentWanted,
  MyTables,
  NewTable,
  Offer,
  Options,
  PositionWanted,
  Problem,
  ReviewProgress,
  RoundLog,
  SeatPlan,
  Story,
  TablesWanted,
  TableView,
  ValuesWanted,
} from "./messages";
import type { ProvedRecord } from "./proof";

/** A request that was not carried out; `code` says why, and `offline` that there was no answer. */
export class Failed extends Error {
  constructor(
    readonly code: string,
    /** That was broken, if one was. */
    readonly rule: string | null = null,
  ) {
    super(code);
  }
}

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Failed("offline");
  }
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => ({ code: "fault" }))) as Problem;
    throw new Failed(problem.code, problem.rule ?? null);
  }
  return (await answer.json()) as T;
}

let known: Promise<Offer> | null = null;

/** Where other devices reach this server, if they do; asked for each time, for it may have been started in another way. */
export const reached = (): Promise<Offer> => ask("/api/games");
export const reachedAt = async (): Promise<string | null> => (await reached()).address;

/** Games and levels; asked for once. */
export function offer(): Promise<Offer> {
  known ??= ask<Offer>("/api/games").catch((error: unknown) => {
    known = null;
    throw error;
  });
  return known;
}

export const lobby = (): Promise<Lobby> => ask("/api/tables");
export const table = (id: string): Promise<TableView> => ask(`/api/tables/${id}`);
export const roundLog = (id: string): Promise<RoundLog> => 
  ask(`/api/tables/${id}/log`, { headers: { authorization: `Bearer ${secret()}` } });
export const story = (id: string, round: number): Promise<Story> => ask(`/api/tables/${id}/story?round=${round}`);
/** A finished round, judged: as far as that is done, or once there is more than was seen. */
export const review = (id: string, round: number, seen: number | null): Promise<ReviewProgress> =>
  ask(`/api/tables/${id}/review?round=${round}${seen === null ? "" : `&seen=${seen}`}`);
export const recordPath = (id: string, round: number): string => `/api/tables/${id}/record?round=${round}`;
export const record = (id: string, round: number): Promise<ProvedRecord> => ask(recordPath(id, round));

type Asked = NewTable | MomentWanted | TablesWanted | PositionWanted | ValuesWanted;
export function post<T>(path: string, body: Asked, signal: AbortSignal | null = null): Promise<T> {
  const headers = { "content-type": "application/json" };
  return ask<T>(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** A new table; its first game goes on from a position, if there is one. */
export async function newTable(
  game: string,
  seats: SeatPlan[],
  options: Options,
  position: Position | null = null,
): Promise<string> {
  const wanted = { id: randomHex(12), secret: secret(), game, seats, options };
  const made = await post<Made>("/api/tables", position ? { ...wanted, position } : wanted);
  return made.table;
}

/** What a table would show after these events, written as in records. */
export const moment = (wanted: MomentWanted): Promise<Moment> => post("/api/moment", wanted);
/** What a table would show in a position, changed, and after what happens then. */
export const inPosition = (wanted: PositionWanted): Promise<Moment> => post("/api/position", wanted);

/** Tables as this browser sits there. */
export const seatedAt = (tables: string[]): Promise<MyTables> => post("/api/mine", { secret: secret(), tables });

/** The tables this browser sat at, the latest first; those that are no longer there are forgotten. */
export async function myTables(): Promise<MyTables> {
  const known = tables().map(({ id }) => id);
  if (!known.length) return { tables: [], gone: [] };
  const found = await seatedAt(known);
  found.gone.forEach(forgetTable);
  return found;
}
