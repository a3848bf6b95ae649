import { expect, test } from "vitest";
import { decode, encode, UnreadableLink } from "./codec";
import { parseFragment } from "./fragment";
import released from "./released-links.json";

/** The number of links and their seed; CODEC_FUZZ and CODEC_FUZZ_SEED change them. */
const rounds = Number(import.meta.env["CODEC_FUZZ"] ?? 2000);
const seed = Number(import.meta.env["CODEC_FUZZ_SEED"] ?? 20_260_101);
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=%&# \u00e9";

/** Creates a reproducible generator of numbers below a bound (mulberry32). */
function randomNumbers(state: number): (bound: number) => number {
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** Replaces, inserts or removes some characters. */
function damage(text: string, random: (bound: number) => number): string {
  let result = text;
  for (let i = random(4); i >= 0; i--) {
    const at = random(result.length + 1);
    const put = alphabet[random(alphabet.length)] ?? "";
    result = result.slice(0, at) + (random(3) > 0 ? put : "") + result.slice(at + random(3));
  }
  return result;
}

test("a damaged link gives a scenario or says that it is damaged", async () => {
  const random = randomNumbers(seed);
  const links = released.map(({ hash }) => parseFragment(hash).payload ?? "");
  let opened = 0;
  for (let round = 0; round < rounds; round++) {
    const link = damage(links[random(links.length)] ?? "", random);
    try {
      const scenario = await decode(parseFragment(`#1=${link}`).payload ?? "");
      expect(await decode(await encode(scenario))).toEqual(scenario);
      opened++;
    } catch (error) {
      expect(error, link).toBeInstanceOf(UnreadableLink);
    }
  }
  expect(opened).toBeLessThan(rounds);
}, 120_000 + rounds * 20);
