/** What has just happened and is told before the table goes on, in words. */
import { t } from "./language.svelte";
import type { GameView } from "./messages";
import { forcedBy, revealed, type News } from "./table";
import { closedWords, closings, doneWords, noticeWords } from "./words";

/** One sentence, or two where two things happened at once: rows that were closed, and that nothing fitted; at the end of
 * a game what ended it, whatever that was. */
export function toldWords(news: News, game: GameView, names: string[]): string {
  const [events, , { yours, table }] = news;
  const words = closings(news, game).map(([colour, seats]) => closedWords(colour, seats, names, yours));
  const forced = forcedBy(news);
  if (forced && (forced.failed || !words.length)) words.push(noticeWords(forced, names, yours, game.cost));
  if (table?.status !== "over") return words.join(" · ");
  const made = events.flatMap(revealed);
  const failed = made.filter(([seat, done]) => done.effects["failed"] && !(forced?.failed && forced.seat === seat));
  const last = words.length || failed.length ? [] : made.filter(([, done]) => done.move !== "-").slice(-1);
  for (const [seat, done] of [...failed, ...last])
    words.push(t("news.chose", { name: names[seat] ?? "", move: doneWords(done, game) }));
  return words.join(" · ");
}
