/** What has just happened and is told before the table goes on, in words. */
import { t } from "./language.svelte";
import type { GameView, MoveView } from "./messages";
import { forcedBy, revealed, struckBy, type News } from "./table";
import { closedWords, closings, doneWords, noticeWords } from "./words";

/** One sentence, or two where two things happened at once: rows that were closed, that nothing fitted, what others lost or
 * took; at the end of a game what ended it, whatever that was. */
export function toldWords(news: News, game: GameView, names: string[]): string {
  const [, , { yours, table }] = news;
  const words = closings(news, game).map(([colour, seats]) => closedWords(colour, seats, names, yours));
  const forced = forcedBy(news);
  if (forced && (forced.failed || !words.length)) words.push(noticeWords(forced, names, yours, game.cost));
  for (const [seat, done] of table?.status === "over" ? ending(news, words.length > 0) : struckBy(news))
    words.push(t("news.chose", { name: names[seat] ?? "", move: doneWords(done, game) }));
  return words.join(" · ");
}

/** The choices that ended the game: throws that failed, or else, if nothing is told yet, the last mark. */
function ending(news: News, told: boolean): [seat: number, done: MoveView][] {
  const [made, forced] = [news[0].flatMap(revealed), forcedBy(news)];
  const failed = made.filter(([seat, done]) => done.effects["failed"] && !(forced?.failed && forced.seat === seat));
  return told || failed.length ? failed : made.filter(([, done]) => done.move !== "-").slice(-1);
}
