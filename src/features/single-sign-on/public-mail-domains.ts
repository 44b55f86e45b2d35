/** Domains in which anyone can get an e-mail address. No account can have one. */
const publicMailDomains: ReadonlySet<string> = new Set(
  `
  gmail.com googlemail.com
  outlook.com outlook.at outlook.be outlook.de outlook.dk outlook.es outlook.fr outlook.ie outlook.it outlook.jp outlook.kr
  hotmail.com hotmail.at hotmail.be hotmail.ca hotmail.ch hotmail.co.uk hotmail.de hotmail.dk hotmail.es hotmail.fr hotmail.it
  hotmail.nl hotmail.no hotmail.se live.at live.be live.ca live.cn live.co.uk live.com live.com.au live.com.mx live.de live.dk
  live.fr live.it live.nl live.no live.se msn.com passport.com windowslive.com
  yahoo.com yahoo.at yahoo.be yahoo.ca yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.nz yahoo.co.uk yahoo.com.ar yahoo.com.au
  yahoo.com.br yahoo.com.cn yahoo.com.hk yahoo.com.mx yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.de
  yahoo.dk yahoo.es yahoo.fr yahoo.gr yahoo.ie yahoo.in yahoo.it yahoo.nl yahoo.no yahoo.pl yahoo.ro yahoo.se
  ymail.com rocketmail.com myyahoo.com aol.com aol.co.uk aol.de aol.fr aim.com verizon.net
  icloud.com me.com mac.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com keemail.me
  fastmail.com fastmail.fm hey.com zoho.com zohomail.com zohomail.eu mailbox.org posteo.de posteo.net mailfence.com runbox.com
  hushmail.com disroot.org riseup.net startmail.com duck.com
  gmx.com gmx.de gmx.net gmx.at gmx.ch gmx.eu gmx.co.uk gmx.fr gmx.us web.de email.de mail.de freenet.de t-online.de arcor.de
  online.de vodafone.de 1und1.de bluewin.ch aon.at chello.at
  orange.fr wanadoo.fr free.fr sfr.fr laposte.net neuf.fr bbox.fr voila.fr club-internet.fr numericable.fr
  libero.it virgilio.it tiscali.it alice.it tin.it tim.it email.it inwind.it iol.it poste.it
  terra.es telefonica.net sapo.pt ziggo.nl planet.nl kpnmail.nl hetnet.nl home.nl xs4all.nl casema.nl upcmail.nl quicknet.nl
  telenet.be skynet.be proximus.be telia.com spray.se comhem.se online.no jubii.dk luukku.com suomi24.fi
  wp.pl o2.pl onet.pl op.pl interia.pl interia.eu poczta.fm gazeta.pl tlen.pl seznam.cz email.cz centrum.cz post.cz azet.sk
  zoznam.sk freemail.hu citromail.hu abv.bg mail.bg ukr.net i.ua meta.ua
  mail.ru bk.ru inbox.ru list.ru internet.ru yandex.ru yandex.com ya.ru rambler.ru lenta.ru
  btinternet.com bt.com sky.com talktalk.net virginmedia.com ntlworld.com blueyonder.co.uk tiscali.co.uk eircom.net
  comcast.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com netzero.net optonline.net
  frontier.com windstream.net centurylink.net roadrunner.com rogers.com bell.net shaw.ca sympatico.ca telus.net videotron.ca
  mail.com email.com usa.com post.com consultant.com inbox.com inbox.lv lycos.com excite.com rediffmail.com
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com
  bigpond.com bigpond.net.au optusnet.com.au iinet.net.au xtra.co.nz
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com 139.com 189.cn aliyun.com 21cn.com tom.com
  naver.com daum.net hanmail.net nate.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com
  walla.co.il walla.com mynet.com mailinator.com guerrillamail.com yopmail.com 10minutemail.com temp-mail.org
  `
    .trim()
    .split(/\s+/),
);

/** Whether anyone can get an e-mail address in a domain, which is in lower case and in ASCII form. */
export function isPublicMailDomain(domain: string): boolean {
  return publicMailDomains.has(domain);
}
